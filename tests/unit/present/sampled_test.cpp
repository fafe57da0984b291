// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "present/known.h"
#include "sampled_run.h"
#include "snapshot/estimate_text.h"

using namespace compmond;
using namespace compmond::present::test;
using snapshot::Estimated;

namespace {

double on_cpu_ms(const snapshot::Snapshot& s) {
  double sum = 0;
  for (const snapshot::Component& c : s.components) sum += c.figures.estimated->cpu_ns->value_ns;
  return sum / double(kMs);
}

}  // namespace

TEST_CASE("sampled: the strip of a run without probes shows where its samples were") {
  CHECK(SampledRun({0, 1, 2}).strip_ms(4) == Rows{{25, 25, 0, 0}, {0, 0, 0, 0}, {0, 0, 25, 25}});
}

TEST_CASE("sampled: components that probes see keep what these saw in the strip") {
  const Rows seen = SampledRun({}).strip_ms(4);
  const Rows mixed = SampledRun({2}).strip_ms(4);
  CHECK(mixed[0] == seen[0]);
  CHECK(mixed[1] == seen[1]);
  CHECK(seen[2] == std::vector<uint64_t>{0, 0, 5, 25});
  CHECK(mixed[2] == std::vector<uint64_t>{0, 0, 25, 25});
}

TEST_CASE("sampled: which components rest on samples is a matter of their operations' ways") {
  const SampledRun run({0, 2});
  CHECK(present::sampled_components(run.parts()) == std::vector<bool>(3));  // it takes none
  present::RunParts parts = run.parts();
  parts.samples.emplace(present::RunSamples{*run.samples, 200});
  CHECK(present::sampled_components(parts) == std::vector<bool>{true, false, true});
}

TEST_CASE("sampled: a window that follows ends where samples are known, and keeps its length") {
  SampledRun run({0, 1, 2});
  run.run_on();
  const snapshot::Snapshot last = run.look({0.06, 0, 0}), whole = run.look({});
  CHECK(window_ms(last) == Ms{40, 100});
  CHECK(on_cpu_ms(last) == doctest::Approx(60));
  CHECK(window_ms(whole) == Ms{0, 100});
  CHECK(on_cpu_ms(whole) == doctest::Approx(100));
  for (const snapshot::Snapshot& s : {last, whole}) {
    CHECK(s.now_ns == 150 * kMs);
    CHECK(s.health.samples->known_until_ns == 100 * kMs);
    CHECK(samples_behind_ns(s) == 50 * kMs);
    CHECK(in_ms(known_window(s)) == window_ms(s));
  }
}

TEST_CASE("sampled: of a window with an end of its own the part that is not known yet is told") {
  SampledRun run({0, 1, 2});
  run.run_on();
  const snapshot::Snapshot later = run.look({0, 60 * kMs, 140 * kMs});
  CHECK(window_ms(later) == Ms{60, 140});
  CHECK(in_ms(known_window(later)) == Ms{60, 100});
  CHECK(samples_behind_ns(later) == 50 * kMs);
  CHECK(on_cpu_ms(later) == doctest::Approx(40));
  const snapshot::Snapshot unknown = run.look({0, 110 * kMs, 140 * kMs});
  CHECK(known_window(unknown).length() == 0);
  const snapshot::Snapshot known = run.look({0, 20 * kMs, 80 * kMs});
  CHECK(samples_behind_ns(known) == 0);
  CHECK(in_ms(known_window(known)) == Ms{20, 80});
}

TEST_CASE("sampled: a run that has ended is known to its end") {
  SampledRun run({0, 1, 2});
  run.checkpoint.as_of_ns = 101 * kMs;  // what ends it took a moment
  const snapshot::Snapshot last = run.look({0.06, 0, 0}, true);
  CHECK(window_ms(last) == Ms{41, 101});
  CHECK(last.health.samples->known_until_ns == last.now_ns);
  CHECK(samples_behind_ns(last) == 0);
}

TEST_CASE("sampled: samples move no window in which no component rests on them") {
  SampledRun exact({}), mixed({2});
  exact.run_on();
  mixed.run_on();
  const snapshot::Snapshot seen = exact.look({0.06, 0, 0});
  CHECK(window_ms(seen) == Ms{90, 150});
  CHECK(seen.health.samples->known_until_ns == 100 * kMs);
  CHECK(samples_behind_ns(seen) == 0);
  CHECK(window_ms(mixed.look({0.06, 0, 0})) == Ms{40, 100});
}

TEST_CASE("sampled: before the first stretch is told the window is as asked for, and not known") {
  SampledRun run({0, 1, 2});
  run.samples.emplace(present::estimate_model_of(run.spec, run.plan));
  run.checkpoint.start_ns = kMs;
  run.run_on();
  const snapshot::Snapshot s = run.look({0.06, 0, 0});
  CHECK(window_ms(s) == Ms{90, 150});
  CHECK(s.health.samples->known_until_ns == s.start_ns);
  CHECK(known_window(s).length() == 0);
}

TEST_CASE("sampled: what was waited while waiting was not sampled is marked at all it is part of") {
  SampledRun run({0, 1, 2});
  for (uint64_t time = 10; time < 100; time += 10) run.sample(100 * kMs + time * kMs, {3}, 5 * kMs);
  run.stretch(100, 200, true, 50);
  run.checkpoint.as_of_ns = 200 * kMs;
  const auto marks = [&] {
    const snapshot::Snapshot s = run.look({});
    const snapshot::Estimated &part = *s.components[2].figures.estimated,
                              &thread = *s.threads.front().estimated;
    CHECK_FALSE(at_least(part, &Estimated::cpu_ns));
    CHECK(at_least(thread, &Estimated::waiting_ns) == at_least(part, &Estimated::waiting_ns));
    return std::vector<bool>{part.waiting_ns->at_least, part.net_real_ns->at_least,
                             part.raw_ns->at_least};
  };
  CHECK(marks() == std::vector<bool>{false, false, false});
  run.stretch(200, 300, false, 50);
  run.checkpoint.as_of_ns = 300 * kMs;
  CHECK(run.look({}).health.samples->off_cpu_share == doctest::Approx(2.0 / 3));
  CHECK(marks() == std::vector<bool>{true, true, true});
}

TEST_CASE("sampled: beside probes times are marked where stacks broke before any operation") {
  SampledRun run({});
  run.plan.operations[2].ways.emplace_back().code = {{256 * 3, 256}};  // its probe refused
  run.samples.emplace(present::estimate_model_of(run.spec, run.plan));
  run.samples->on_image({sampling::kFirstFile, "/main", 8, 100, ""});
  const auto take = [&](uint64_t from_ms, bool placed) {
    for (uint64_t i = 0; i < 20; ++i)
      run.sample((from_ms + i * 5) * kMs, {placed ? 3u : 9u}, 0,
                 i % 2 && !placed ? sampling::Ended::kBroken : sampling::Ended::kComplete);
    run.stretch(from_ms, from_ms + 100, true, 100);
    run.checkpoint.as_of_ns = (from_ms + 100) * kMs;
    return *run.look({}).components[2].figures.estimated;
  };
  CHECK_FALSE(take(0, true).cpu_ns->at_least);
  const snapshot::Estimated marked = take(100, false);
  CHECK(marked.cpu_ns->at_least);
  CHECK_FALSE(marked.waiting_ns->at_least);
}

TEST_CASE("sampled: beside exact probes no time is longer than the real one, of a group neither") {
  SampledRun run({});
  for (const size_t i : {0, 1})
    run.plan.operations[i].ways.emplace_back().code = {{256 * (i + 1), 256}};
  run.samples.emplace(present::estimate_model_of(run.spec, run.plan));
  run.samples->on_image({sampling::kFirstFile, "/main", 8, 100, ""});
  for (uint64_t time = 10; time <= 90; time += 10) run.sample(time * kMs, {2, 1}, 9 * kMs);
  run.stretch(0, 100, true, 0);
  const snapshot::Snapshot s = run.look({0, 0, 75 * kMs});  // before some was lost
  const auto& within = s.components[0].subtree;
  CHECK(within.real_ns == 50 * kMs);
  CHECK(within.estimated->waiting_ns->value_ns == double(within.real_ns));
  CHECK(s.components[1].figures.real_ns == 30 * kMs);
  CHECK(s.components[1].figures.estimated->waiting_ns->value_ns == 30 * kMs);
}

TEST_CASE("sampled: own times tell how many samples they rest on, apart from raw time") {
  SampledRun run({0, 1, 2});
  for (uint64_t time = 102; time < 200; time += 5) run.sample(time * kMs, {3, 2});
  run.sample(199 * kMs, {2});
  run.stretch(100, 200, true, 100);
  run.checkpoint.as_of_ns = 200 * kMs;
  const snapshot::Snapshot s = run.look({});
  const snapshot::Estimated &caller = *s.components[1].figures.estimated,
                            &callee = *s.components[2].figures.estimated;
  CHECK(caller.samples == 21);
  CHECK(caller.own_samples == 1);
  CHECK_FALSE(only_bound(caller, &snapshot::Estimated::raw_ns));
  for (const auto own : {&snapshot::Estimated::net_real_ns, &snapshot::Estimated::cpu_ns})
    CHECK(only_bound(caller, own));
  CHECK(callee.own_samples == 30);
  CHECK_FALSE(only_bound(callee, &snapshot::Estimated::net_real_ns));
  CHECK(caller.net_real_ns->value_ns > s.heat->floor);
  CHECK(s.components[1].figures.hotness == 0);  // as no value is shown that could be hot
  CHECK(s.components[1].operations[0].figures.ranked == 0);
  CHECK(s.components[2].figures.hotness == 100);
}

TEST_CASE("sampled: in a mixed view all have real times by which they are ranked") {
  const snapshot::Snapshot probed = SampledRun({}).look({}), mixed = SampledRun({2}).look({});
  for (const snapshot::Component& c : probed.components)
    CHECK_FALSE(c.figures.estimated->net_real_ns);
  for (const snapshot::Component& c : mixed.components) CHECK(c.figures.estimated->net_real_ns);
  CHECK(mixed.components[0].figures.seen);
}

TEST_CASE("sampled: who called is unknown where the stack was cut above") {
  SampledRun run({0, 1, 2});
  for (uint64_t time = 102; time < 200; time += 5)
    run.sample(time * kMs, {3}, 0,
               time < 150 ? sampling::Ended::kTruncated : sampling::Ended::kComplete);
  run.stretch(100, 200, true, 100);
  run.checkpoint.as_of_ns = 200 * kMs;
  const snapshot::Snapshot s = run.look({0, 100 * kMs, 200 * kMs});
  std::vector<double> known_ms, unknown_ms;
  for (const snapshot::Edge& e : s.edges) {
    CHECK_FALSE((e.unknown && e.from));
    if (e.to != "C" || e.from) continue;
    (e.unknown ? unknown_ms : known_ms).push_back(e.estimated->raw_ns->value_ns / double(kMs));
  }
  CHECK(known_ms == std::vector<double>{50});
  CHECK(unknown_ms == std::vector<double>{50});
}

TEST_CASE("sampled: waiting for a CPU is told apart, and what processes took") {
  SampledRun run({0, 1, 2});
  for (uint64_t time = 10; time < 100; time += 10)
    run.sample(100 * kMs + time * kMs, {3}, 5 * kMs, sampling::Ended::kComplete, 2 * kMs);
  run.stretch(100, 200, true, 50);
  run.checkpoint.as_of_ns = 200 * kMs;
  snapshot::Snapshot s = run.look({});
  const snapshot::Estimated& part = *s.components[2].figures.estimated;
  REQUIRE(part.runnable_ns);
  CHECK(part.waiting_ns->value_ns == 45.0 * kMs);
  CHECK(part.runnable_ns->value_ns == 18.0 * kMs);
  CHECK_FALSE(s.components[0].figures.estimated->runnable_ns);
  CHECK(s.targets.empty());
  run.processes = target::ObservedProcesses({{10, "/main"}, {11, "/main"}}, 0);
  s = run.look({});
  REQUIRE(s.targets.size() == 2);
  REQUIRE(s.targets[0].estimated);
  CHECK(s.targets[0].estimated->cpu_ns->value_ns == 150.0 * kMs);
  CHECK(s.targets[0].estimated->cpu_ns->low_ns == s.targets[0].estimated->cpu_ns->high_ns);
  CHECK(s.targets[0].estimated->waiting_ns->value_ns == 45.0 * kMs);
  CHECK_FALSE(s.targets[1].estimated);
}

TEST_CASE("sampled: what only waits is no real time, and what is shown is what is ranked") {
  SampledRun run({0, 1, 2});
  run.plan.operations[2].waiting = true;
  run.samples.emplace(present::estimate_model_of(run.spec, run.plan));
  run.samples->on_image({sampling::kFirstFile, "/main", 8, 100, ""});
  for (uint64_t i = 0; i < 40; ++i) run.sample((i + 1) * 2 * kMs, {i < 16 ? 1u : 3u});
  run.stretch(0, 100, true, 100);
  const snapshot::Snapshot s = run.look({});
  for (const snapshot::Component& c : s.components) {
    CHECK(c.figures.ranked == doctest::Approx(shown_real_ns(c.figures)).epsilon(1e-6));
    CHECK(c.operations[0].figures.ranked == c.figures.ranked);
  }
  const snapshot::Figures& waits = s.components[2].figures;
  CHECK(waits.estimated->cpu_ns->value_ns == doctest::Approx(60e6));
  CHECK(waits.hotness == 0);
  CHECK_FALSE(is_told(*waits.estimated, &Estimated::net_real_ns));
  CHECK(s.heat->full == doctest::Approx(40e6));
}

TEST_CASE("sampled: of what only waits probes saw all, samples may have looked at none") {
  SampledRun run({});
  run.plan.operations[1].waiting = true;
  const snapshot::Snapshot s = run.look({});
  const auto waited = [](const snapshot::Figures& of) { return *of.estimated->waiting_ns; };
  const snapshot::MarkedEstimate exact(snapshot::Estimate{30e6, 30e6, 30e6});
  CHECK(waited(s.components[1].operations[0].figures) == exact);
  CHECK(waited(s.components[1].figures) == exact);
  const snapshot::MarkedEstimate around = *s.components[0].subtree.estimated->waiting_ns;
  CHECK((around.at_least && around.low_ns == 30e6));
  CHECK(waited(s.components[0].figures).value_ns == 0);
}

TEST_CASE("sampled: threads that are too many to be told apart are shown as none") {
  SampledRun run({0, 1, 2});
  const sampling::Frame frames[] = {{sampling::kFirstFile, 256 * 3 + 4}};
  sampling::Sample sample;
  sample.pid = 10;
  sample.frames = frames;
  for (uint32_t i = 0; i < 20'000; ++i) {
    sample.tid = 100 + i;
    sample.time_ns = 100 * kMs + i * 4'000;
    run.samples->on_sample(sample);
  }
  run.stretch(100, 200, true, 100);
  run.checkpoint.as_of_ns = 200 * kMs;
  const snapshot::Snapshot s = run.look({});
  CHECK_FALSE(s.threads.empty());
  for (const snapshot::Thread& thread : s.threads) CHECK(thread.pid == 10);
}

TEST_CASE("sampled: a window that is cut where samples are not there in full is partial") {
  for (const size_t bytes : {size_t(1) << 20, 4 * sizeof(estimate::RecentSample)}) {
    SampledRun run({0, 1, 2});
    run.samples.emplace(present::estimate_model_of(run.spec, run.plan),
                        estimate::SampleStore::Options{1u << 20, bytes, 1u << 20});
    run.samples->on_image({sampling::kFirstFile, "/main", 8, 100, ""});
    for (uint64_t i = 0; i < 20; ++i) run.sample((i + 1) * 5 * kMs - 1, {3});
    run.stretch(0, 100, true, 100);
    CHECK_FALSE(run.look({0, 0, 100 * kMs}).window_partial);
    CHECK(run.look({0, 20 * kMs, 60 * kMs}).window_partial == (bytes < 1u << 20));
  }
}
