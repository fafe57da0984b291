// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "estimate/estimates.h"
#include "estimate/sample_store.h"
#include "samples.h"

using namespace compmond;
using namespace compmond::estimate;
using namespace compmond::estimate::samples;
using sampling::Ended;

namespace {

// 20 samples a second at 20 Hz, the first `first` of which are of operation 0, the rest of 1.
void second(Fed& fed, uint64_t number, int first, uint64_t cpu_ns = kSecond, double hz = 20) {
  const uint64_t start = number * kSecond;
  for (int i = 0; i < 20; ++i) fed.on(start + uint64_t(i) * 50 * kMs + 1, {i < first ? 0 : 1});
  fed.stretch(start, start + kSecond, hz, cpu_ns);
}

Estimate own(const Estimates& e, int op) { return e.operation(op).own.on_cpu; }

}  // namespace

TEST_CASE("store: on CPU is share times exact CPU time, stretch by stretch") {
  Fed fed(2);
  second(fed, 0, 5, 800 * kMs);   // 1/4 of 0.8 s
  second(fed, 1, 15, 400 * kMs);  // 3/4 of 0.4 s
  const Estimates e(fed.store, {});
  CHECK(own(e, 0).value_ns == doctest::Approx(500e6));
  CHECK(own(e, 1).value_ns == doctest::Approx(700e6));
  CHECK(own(e, 0).samples == 20);
  CHECK(e.totals().cpu_ns == 1200 * kMs);
  CHECK(e.whole().on_cpu.value_ns == 1200e6);
  // V = Σ C² p (1-p) / (n-1): as one with n* = p (1-p) C² / V.
  const double v = (0.64 + 0.16) * 0.1875 / 19, p = 5.0 / 12, n = p * (1 - p) * 1.44 / v;
  CHECK(own(e, 0).low_ns == doctest::Approx(wilson(p, n).low * 1200e6).epsilon(1e-5));
  CHECK(own(e, 0).high_ns == doctest::Approx(wilson(p, n).high * 1200e6).epsilon(1e-5));
}

TEST_CASE("store: CPU time without samples is pooled with neighbours of its rate, never lost") {
  Fed fed(2);
  second(fed, 0, 20);
  fed.stretch(kSecond, 2 * kSecond, 20, 10 * kMs);  // 0.2 samples are to be expected, none came
  second(fed, 2, 0);
  const Estimates e(fed.store, {});
  // The idle second and the one after it share 20 samples.
  CHECK(own(e, 0).value_ns == doctest::Approx(1000e6));
  CHECK(own(e, 1).value_ns == doctest::Approx(1010e6));
  CHECK(fed.store.counts().tiles == 2);
}

TEST_CASE("store: CPU time without any neighbour of its rate raises all in proportion") {
  Fed fed(2);
  second(fed, 0, 5);
  fed.stretch(kSecond, 2 * kSecond, 7, 100 * kMs);
  const Estimates e(fed.store, {});
  CHECK(own(e, 0).value_ns == doctest::Approx(275e6));
  CHECK(own(e, 0).value_ns + own(e, 1).value_ns == doctest::Approx(1100e6));
}

TEST_CASE("store: CPU time while nothing was sampled stands apart") {
  Fed fed(2);
  second(fed, 0, 5);
  fed.stretch(kSecond, kSecond + 100 * kMs, 0, 90 * kMs);
  const Estimates e(fed.store, {});
  CHECK(e.totals().cpu_ns == kSecond);
  CHECK(e.totals().unsampled_cpu_ns == 90 * kMs);
  CHECK(own(e, 0).value_ns == doctest::Approx(250e6));
  REQUIRE(e.processes().size() == 1);
  CHECK(e.processes()[0].times.on_cpu.value_ns == 1090e6);  // a process' is known exactly
  CHECK(e.processes()[0].times.on_cpu.high_ns == 1090e6);
}

TEST_CASE("store: what is known of a group that is not full yet is told") {
  Fed fed(2);
  for (uint64_t i = 0; i < 3; ++i) fed.on(i * kMs, {int(i % 2)});
  CHECK(Estimates(fed.store, {}).totals().cpu_ns == 0);  // not even its stretch is
  fed.stretch(0, 100 * kMs, 30, 100 * kMs);
  const Estimates e(fed.store, {});
  CHECK(own(e, 0).value_ns == doctest::Approx(200e6 / 3));
  CHECK(e.end_ns() == 100 * kMs);
  CHECK(fed.store.counts().tiles == 0);
}

TEST_CASE("store: samples are known up to where the newest stretch that was told ends") {
  Fed fed(1);
  CHECK(fed.store.known_ns() == 0);
  second(fed, 0, 20);
  CHECK(fed.store.known_ns() == kSecond);
  for (uint64_t i = 0; i < 10; ++i) fed.on(kSecond + (50 * i + 1) * kMs, {0});
  CHECK(fed.store.known_ns() == kSecond);
  CHECK(own(Estimates(fed.store, {}), 0).samples == 20);
  fed.stretch(kSecond, kSecond + 500 * kMs, 7, 500 * kMs);  // in a group that is not full
  CHECK(fed.store.known_ns() == kSecond + 500 * kMs);
  CHECK(own(Estimates(fed.store, {}), 0).samples == 30);
}

TEST_CASE("store: a wait lies where the thread waited, its samples where it ended") {
  Fed fed(1);
  for (uint64_t i = 0; i < 5; ++i) fed.stretch(i * kSecond, (i + 1) * kSecond, 0, 0);
  fed.off(5 * kSecond + 500 * kMs, {0}, 4 * kSecond, 4 * kSecond, kSecond);
  fed.stretch(5 * kSecond, 6 * kSecond, 0, 0);
  const auto waited = [&](uint64_t from, uint64_t to) {
    return Estimates(fed.store, {from * kMs, to * kMs}).operation(0).own;
  };
  CHECK(waited(0, 6000).off_cpu.value_ns == 4e9);
  CHECK(waited(0, 6000).blocked.value_ns == 3e9);
  CHECK(waited(0, 6000).runnable.value_ns == 1e9);
  CHECK(waited(0, 6000).off_cpu.samples == 1);
  CHECK(waited(0, 1000).off_cpu.value_ns == 0);
  CHECK(waited(1000, 2000).off_cpu.value_ns == 5e8);
  CHECK(waited(2000, 5000).off_cpu.value_ns == 3e9);
  CHECK(waited(2000, 5000).off_cpu.samples == 0);
  CHECK(waited(4700, 5200).off_cpu.value_ns == doctest::Approx(5e8));
  CHECK_FALSE(Estimates(fed.store, {4700 * kMs, 5200 * kMs}).coarse());
}

TEST_CASE("store: a wait's variance is that of the chance by which it was taken") {
  Fed fed(1);
  fed.off(100 * kMs, {0}, 4 * kMs, 10 * kMs);
  fed.off(200 * kMs, {0}, 6 * kMs, 10 * kMs);
  fed.off(300 * kMs, {0}, 50 * kMs, 50 * kMs);
  fed.stretch(0, kSecond, 0, 0);
  const Sums sums = fed.store.sums({}).of(Key(Kind::kOperationOwn, 0));
  CHECK(sums.off_variance == 100'000'000);  // (0.6 + 0.4) · (10 ms)², in µs²
  CHECK(sums.off_ns() == 70 * kMs);
}

TEST_CASE("store: a wait from before the run counts for its part within") {
  Fed fed(1);
  fed.off(10 * kSecond + 300 * kMs, {0}, 900 * kMs, 900 * kMs);
  fed.stretch(10 * kSecond, 11 * kSecond, 0, 0);
  CHECK(Estimates(fed.store, {}).operation(0).own.off_cpu.value_ns == doctest::Approx(300e6));
}

TEST_CASE("store: windows cut seconds exactly where samples are there in full") {
  Fed fed(2);
  for (uint64_t s = 0; s < 3; ++s) second(fed, s, 10);
  const auto at = [&](uint64_t from, uint64_t to) {
    return Estimates(fed.store, {from * kMs, to * kMs});
  };
  CHECK(own(at(0, 500), 0).value_ns == doctest::Approx(500e6));  // operation 0 comes first
  CHECK(own(at(0, 500), 1).value_ns == 0);
  CHECK(own(at(1500, 2500), 0).value_ns == doctest::Approx(500e6));
  CHECK(own(at(1500, 2500), 1).value_ns == doctest::Approx(500e6));
  CHECK(own(at(1200, 1300), 0).samples == 2);
  CHECK(at(1200, 1300).totals().time_ns == 100 * kMs);
  CHECK_FALSE(at(1200, 1300).coarse());
  CHECK(at(1200, 1200).totals().samples.on_samples == 0);
  CHECK(at(9000, 9900).totals().samples.on_samples == 0);
}

TEST_CASE("store: windows cut seconds in proportion, and say so, where samples are gone") {
  SampleStore::Options options;
  options.recent_bytes = 20 * sizeof(RecentSample);
  Fed fed(2, options);
  for (uint64_t s = 0; s < 3; ++s) second(fed, s, 10);
  const Estimates e(fed.store, {0, 500 * kMs}), newest(fed.store, {2 * kSecond, 2500 * kMs});
  CHECK(e.coarse());
  CHECK(own(e, 0).value_ns == doctest::Approx(250e6));
  CHECK(own(e, 1).value_ns == doctest::Approx(250e6));
  CHECK_FALSE(newest.coarse());
  CHECK(own(newest, 0).value_ns == doctest::Approx(500e6));
  CHECK_FALSE(Estimates(fed.store, {0, 2 * kSecond}).coarse());  // no edge
}

TEST_CASE("store: threads, edges and elsewhere have their times") {
  Fed fed(3);
  for (uint64_t i = 0; i < 20; ++i) {
    if (i < 8)
      fed.on(i * kMs, {1, 0}, 7);
    else if (i < 14)
      fed.on(i * kMs, {2, 0}, 8);
    else
      fed.on(i * kMs, {}, 8);
  }
  fed.stretch(0, kSecond, 20, kSecond);
  const Estimates e(fed.store, {});
  const auto edges = e.edges();
  REQUIRE(edges.size() == 3);
  CHECK(edges[0].from == 0);
  CHECK(edges[0].to == 1);
  CHECK(edges[0].times.on_cpu.value_ns == doctest::Approx(400e6));
  CHECK(edges[1].times.on_cpu.value_ns == doctest::Approx(300e6));
  CHECK(edges[2].from == Key::kBottom);
  CHECK(edges[2].to == 0);
  CHECK(edges[2].times.all.value_ns == doctest::Approx(700e6));
  REQUIRE(e.threads().size() == 2);
  CHECK(e.threads()[0].tid == 7);
  CHECK(e.threads()[1].times.on_cpu.value_ns == doctest::Approx(600e6));
  REQUIRE(e.elsewhere().size() == 1);
  CHECK(e.elsewhere()[0].image == sampling::kNoImage);
  CHECK(e.all_elsewhere().on_cpu.value_ns == doctest::Approx(300e6));
  CHECK(e.component(0).own.on_cpu.value_ns == 0);
  CHECK(e.component(0).within.on_cpu.value_ns == doctest::Approx(700e6));
  CHECK(e.subtree(0).within.on_cpu.value_ns == doctest::Approx(700e6));
}

TEST_CASE("store: cut stacks are counted, and may hide more of what is within") {
  Fed fed(2);
  for (uint64_t i = 0; i < 20; ++i)
    fed.on(i * kMs, i < 3 ? std::vector{1} : std::vector{1, 0}, 1,
           i < 2   ? Ended::kTruncated
           : i < 3 ? Ended::kBroken
                   : Ended::kComplete);
  fed.on(30 * kMs, {}, 1, Ended::kBroken);
  fed.stretch(0, kSecond, 20, kSecond);
  const Estimates e(fed.store, {});
  CHECK(e.totals().on_truncated == 2);
  CHECK(e.totals().on_broken == 2);
  CHECK(e.totals().unplaced == 1);
  CHECK(e.operation(0).within.on_cpu.hidden_ns == doctest::Approx(4e9 / 21));
  CHECK(e.operation(0).within.on_cpu.value_ns == doctest::Approx(17e9 / 21));
  CHECK(e.operation(0).within.on_cpu.high_ns == doctest::Approx(1e9));
  const Estimate within = e.operation(1).within.on_cpu;
  CHECK(within.hidden_ns == doctest::Approx(1e9 / 21));  // the one that broke before any operation
  CHECK_FALSE(within.at_least);  // which is less than what is not known anyway
  CHECK(e.operation(1).own.on_cpu.hidden_ns == doctest::Approx(1e9 / 21));  // likewise
  CHECK_FALSE(e.operation(1).own.on_cpu.at_least);
}

TEST_CASE("store: own times are lower bounds where many stacks broke before any operation") {
  Fed fed(3);
  for (uint64_t i = 0; i < 100; ++i)
    fed.on(i * kMs, i < 40 ? std::vector{0} : i < 98 ? std::vector{1, 0} : std::vector{2});
  const auto add = [&](uint64_t from_ns, bool below_operation) {
    for (uint64_t i = 0; i < 50; ++i)
      fed.on(from_ns + i * kMs, below_operation ? std::vector{1} : std::vector<int>{}, 1,
             Ended::kBroken);
  };
  add(200 * kMs, true);
  fed.stretch(0, kSecond, 150, kSecond);
  const Estimates met(fed.store, {});
  for (const int op : {0, 1, 2}) CHECK_FALSE(met.operation(op).own.all.at_least);
  CHECK(met.operation(0).within.on_cpu.at_least);
  add(kSecond, false);
  fed.stretch(kSecond, 2 * kSecond, 150, kSecond / 3);
  const Estimates not_met(fed.store, {});
  for (const int op : {0, 1}) {
    CHECK(not_met.operation(op).own.on_cpu.at_least);
    CHECK(not_met.component(op).own.all.at_least);
    CHECK_FALSE(not_met.operation(op).own.off_cpu.at_least);
  }
  const Estimate few = not_met.operation(2).own.on_cpu;  // a bound, which allows for them
  CHECK_FALSE(few.at_least);
  CHECK(few.high_ns > 52.0 / 200 * 1e9 * 4 / 3);
  const Times elsewhere = not_met.all_elsewhere();
  CHECK(elsewhere.on_cpu.value_ns == doctest::Approx(1e9 / 3));
  CHECK(elsewhere.on_cpu.low_ns == 0);  // all of it may be some operation's
}

TEST_CASE("store: what ends in a jump is on the stack for less time than it takes") {
  Model model = flat_model(4);
  model.operations[1].ends_in_jump = true;
  model.parent_of[1] = 0;  // within component 0
  Fed fed(model);
  for (uint64_t i = 0; i < 100; ++i)
    fed.on(i * kMs, i < 50 ? std::vector{2, 1, 0} : std::vector{2, 0});
  fed.on(100 * kMs, {3, 1, 0});  // too few for a value
  fed.off(200 * kMs, {1, 0}, 20 * kMs, 20 * kMs);
  fed.stretch(0, kSecond, 101, kSecond);
  const Estimates e(fed.store, {});
  CHECK(e.operation(1).within.all.at_least);
  CHECK(e.operation(1).within.on_cpu.at_least);
  CHECK(e.operation(1).within.off_cpu.at_least);
  CHECK(e.component(1).within.all.at_least);
  CHECK(e.subtree(0).within.all.at_least);
  for (const int op : {0, 2, 3}) CHECK_FALSE(e.operation(op).within.all.at_least);
  CHECK_FALSE(e.component(0).within.all.at_least);  // its own operations alone
  for (const int op : {0, 1, 2, 3}) CHECK_FALSE(e.operation(op).own.all.at_least);
  CHECK_FALSE(e.subtree(0).own.all.at_least);
  // What it jumped to counts as called by its caller: both are connections of less than there was.
  for (const Edge& edge : e.edges())
    CHECK(edge.times.all.at_least == (!edge.times.all.below && (edge.from == 1 || edge.to == 1)));
}

TEST_CASE("store: bounds of own time lie within those of the time that it is part of") {
  Fed fed(2);
  // Of what both were on at the same moments, own time has other ones: its interval is wider.
  for (uint64_t i = 0; i < 40; ++i)
    for (uint32_t tid = 0; tid < 4; ++tid)
      fed.on(i * 20 * kMs + tid * 10'000,
             i % 4 == 0     ? std::vector{0}
             : tid == i % 4 ? std::vector{1, 0}
                            : std::vector<int>{},
             tid);
  fed.stretch(0, kSecond, 160, kSecond);
  const Figures f = Estimates(fed.store, {}).operation(0);
  for (const auto time : {&Times::on_cpu, &Times::off_cpu, &Times::all}) {
    CHECK((f.own.*time).high_ns <= (f.within.*time).high_ns);
    CHECK((f.own.*time).low_ns <= (f.within.*time).low_ns);
    CHECK((f.own.*time).value_ns <= (f.own.*time).high_ns);
    CHECK((f.within.*time).value_ns >= (f.within.*time).low_ns);
  }
}

TEST_CASE("store: threads that are sampled at the same moments count as fewer samples") {
  Fed alone(2), together(2);
  for (uint64_t i = 0; i < 50; ++i)
    for (uint32_t tid = 0; tid < 4; ++tid) {
      alone.on(i * 20 * kMs + tid * 5 * kMs, {int((i + tid) % 2)}, tid);
      together.on(i * 20 * kMs + tid * 10'000, {int(i % 2)}, tid);
    }
  for (Fed* fed : {&alone, &together}) fed->stretch(0, kSecond, 50, 4 * kSecond);
  const Estimate a = own(Estimates(alone.store, {}), 0), b = own(Estimates(together.store, {}), 0);
  CHECK(a.value_ns == b.value_ns);
  CHECK((b.high_ns - b.low_ns) / (a.high_ns - a.low_ns) == doctest::Approx(2).epsilon(0.03));
}

TEST_CASE("store: a stay in one operation for many samples widens nothing") {
  Fed stays(2), mixed(2);
  for (uint64_t i = 0; i < 200; ++i) {
    stays.on(i * 5 * kMs, {i < 100 ? 0 : 1});
    mixed.on(i * 5 * kMs, {int(i % 2)});
  }
  for (Fed* fed : {&stays, &mixed}) fed->stretch(0, kSecond, 200, kSecond);
  const Estimate a = own(Estimates(stays.store, {}), 0), b = own(Estimates(mixed.store, {}), 0);
  CHECK(a.value_ns == doctest::Approx(b.value_ns));
  CHECK(a.high_ns == doctest::Approx(b.high_ns));
}

TEST_CASE("store: all windows of one run add up, merged or not") {
  CHECK(rc::check([](const std::vector<uint16_t>& script, uint16_t cut_at) {
    SampleStore::Options small;
    small.tiles_bytes = 20'000;
    Fed fine(4), merged(4, small);
    uint64_t now = 0, cpu = 0;
    for (size_t i = 0; i < script.size(); ++i) {
      const uint64_t start = now, word = script[i];
      now += 200 * kMs + word * 10'000;
      cpu += word * 1000;
      for (Fed* fed : {&fine, &merged}) {
        for (uint64_t s = 0; s < word % 9; ++s)
          fed->on(start + s * kMs, {int(s % 4), int(word % 4)});
        fed->off(now - kMs, {int(word % 3)}, word * 100'000, word * 100'000 + 7);
        fed->stretch(start, now, i % 7 ? 99 : 49, word * 1000);
      }
    }
    const uint64_t cut = now ? uint64_t(cut_at) * 1000 * kMs / 7 % now : 0;
    const WindowSums a = fine.store.sums({}), b = merged.store.sums({});
    RC_ASSERT(a.totals.cpu_ns == cpu && b.totals.cpu_ns == cpu);
    RC_ASSERT(a.rows.size() == b.rows.size());
    for (const auto& [key, sums] : a.rows) {
      RC_ASSERT(b.of(key).on_ns == sums.on_ns && b.of(key).on_samples == sums.on_samples);
      // A wait's parts are whole nanoseconds.
      const double parts = double(b.of(key).off_ns()) - double(sums.off_ns());
      RC_ASSERT(std::abs(parts) <= double(script.size()));
      RC_ASSERT(b.of(key).on_variance == sums.on_variance);
    }
    const WindowSums first = fine.store.sums({0, cut}), second = fine.store.sums({cut, now});
    for (const auto& [key, sums] : a.rows) {
      if (key.kind() == Kind::kProcessCpu) continue;
      RC_ASSERT(first.of(key).on_samples + second.of(key).on_samples == sums.on_samples);
      RC_ASSERT(first.of(key).off_samples + second.of(key).off_samples == sums.off_samples);
      const double off = double(first.of(key).off_ns() + second.of(key).off_ns());
      RC_ASSERT(std::abs(off - double(sums.off_ns())) <= 2 * double(script.size()));
    }
  }));
}
