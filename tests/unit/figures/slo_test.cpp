// SPDX-License-Identifier: Apache-2.0
#include "figures/slo.h"

#include <doctest/doctest.h>

#include "figures/activity.h"
#include "figures/metric.h"
#include "scene.h"

using namespace compmond;
using namespace compmond::figures;
using trace::in;
using trace::out;

namespace {

// Operations 0 and 1 of component 0 with objectives of 10 and 20 ms, 2 of component 1 without one.
struct SloScene : Scene {
  explicit SloScene(size_t budget = 64 << 20)
      : Scene({0, 0, 1}, {-1, -1}, budget, history::Objectives({10 * kMs, 20 * kMs, 0})) {}

  // One execution of `op` on thread `thread`.
  void call(uint32_t op, uint64_t start_ms, uint64_t raw_ms, uint32_t thread = 0) {
    feed(thread, {in(op, 900, start_ms * kMs), out(op, 900, (start_ms + raw_ms) * kMs)});
  }
  std::vector<uint64_t> ends_ms(uint64_t as_of_ms, Window window, const Filter& filter = {},
                                size_t most = 50) {
    std::vector<uint64_t> ends;
    for (const Single& single :
         newest_violations(checkpoint(as_of_ms * kMs), model, window, most, filter))
      ends.push_back(single.execution.end_ns / kMs);
    return ends;
  }
};

uint64_t sum(const Result& result) {
  uint64_t out = 0;
  for (const Figures& f : result.operations) out += f.violations;
  return out;
}

using Times = std::vector<uint64_t>;

}  // namespace

TEST_CASE("slo: a violation counts in the window in which it ended, by its whole raw time") {
  SloScene s;
  s.call(0, 10, 11);   // ends at 21
  s.call(0, 30, 10);   // keeps to it
  s.call(1, 50, 100);  // ends at 150
  s.call(2, 160, 900);
  const auto violations = [&](uint64_t from_ms, uint64_t to_ms) {
    const Result result = s.figures(2000 * kMs, {from_ms * kMs, to_ms * kMs});
    return std::pair(result.operations[0].violations, result.operations[1].violations);
  };
  CHECK(violations(0, 2000) == std::pair(uint64_t(1), uint64_t(1)));
  CHECK(violations(20, 22) == std::pair(uint64_t(1), uint64_t(0)));  // 1 ms of it is inside
  CHECK(violations(21, 22) == std::pair(uint64_t(1), uint64_t(0)));
  CHECK(violations(0, 21) == std::pair(uint64_t(0), uint64_t(0)));
  CHECK(violations(60, 150) == std::pair(uint64_t(0), uint64_t(0)));  // open there, ended later
  CHECK(violations(149, 151) == std::pair(uint64_t(0), uint64_t(1)));
  const Result whole = s.whole(2000 * kMs);
  CHECK(whole.components[0].violations == 2);
  CHECK(whole.components[1].violations == 0);
  CHECK(metric("slo-violations")->hotness(whole.components) == std::vector<double>{100, 0});
  CHECK(metric("slo-violations")->hotness(whole.operations) == std::vector<double>{100, 100, 0});
}

TEST_CASE("slo: an open execution violates from the moment at which it is above its objective") {
  SloScene s;
  s.feed(0, {in(0, 900, 100 * kMs)});
  CHECK(s.whole(110 * kMs).operations[0].violating_now == 0);
  CHECK(s.whole(111 * kMs).operations[0].violating_now == 1);
  CHECK(s.whole(111 * kMs).operations[0].violations == 0);
  CHECK(violations_so_far(s.checkpoint(110 * kMs), s.model) == 0);
  CHECK(violations_so_far(s.checkpoint(111 * kMs), s.model) == 1);
  // Its whole time counts, not its part in the window.
  CHECK(s.figures(200 * kMs, {195 * kMs, 200 * kMs}).operations[0].violating_now == 1);
  CHECK(s.figures(200 * kMs, {0, 50 * kMs}).operations[0].violating_now == 0);
  s.feed(0, {out(0, 900, 300 * kMs)});
  CHECK(s.whole(400 * kMs).operations[0].violating_now == 0);
  CHECK(s.whole(400 * kMs).operations[0].violations == 1);
  CHECK(violations_so_far(s.checkpoint(400 * kMs), s.model) == 1);
}

TEST_CASE("slo: a window in the past has violating what was so at its end") {
  SloScene s;
  s.call(0, 100, 50);                  // above its 10 ms from 110 on
  s.feed(1, {in(1, 900, 120 * kMs)});  // above its 20 ms from 140 on, not ended
  const auto now = [&](uint64_t to_ms) {
    const Result result = s.figures(300 * kMs, {0, to_ms * kMs});
    return std::tuple(result.operations[0].open, result.operations[0].violating_now,
                      result.operations[1].open, result.operations[1].violating_now);
  };
  using Counts = std::tuple<uint64_t, uint64_t, uint64_t, uint64_t>;
  CHECK(now(100) == Counts{0, 0, 0, 0});
  CHECK(now(110) == Counts{1, 0, 0, 0});
  CHECK(now(111) == Counts{1, 1, 0, 0});
  CHECK(now(140) == Counts{1, 1, 1, 0});
  CHECK(now(141) == Counts{1, 1, 1, 1});
  CHECK(now(151) == Counts{0, 0, 1, 1});
  CHECK(s.ends_ms(300, {0, 130 * kMs}) == Times{130});
  CHECK(s.ends_ms(300, {0, 145 * kMs}) == Times{145, 145});
  CHECK(s.ends_ms(300, {0, 200 * kMs}) == Times{200, 150});
}

TEST_CASE("slo: where events were lost nothing is a violation") {
  SloScene s;
  s.feed(0, {in(0, 900, 0), {80 * kMs, 0, 1, 0, record::EventKind::kLoss, 0}});
  const Result result = s.whole(100 * kMs);
  CHECK(result.operations[0].closed[int(trace::Closed::kLossy)] == 1);
  CHECK(result.operations[0].violations == 0);
  CHECK(violations_so_far(s.checkpoint(100 * kMs), s.model) == 0);
}

TEST_CASE("slo: those whose ends were not seen are violations, and counted apart") {
  SloScene s;
  s.feed(0, {in(0, 900, 0), in(1, 800, kMs), out(0, 900, 50 * kMs)});  // 1 is abandoned
  const Result result = s.whole(100 * kMs);
  CHECK(result.operations[0].violations == 1);
  CHECK(result.operations[0].unseen_violations == 0);
  CHECK(result.operations[1].violations == 1);
  CHECK(result.operations[1].unseen_violations == 1);
  CHECK(result.components[0].unseen_violations == 1);
}

TEST_CASE(
    "slo: the newest are the open ones, then the others by end, of the window and the filter") {
  SloScene s;
  s.call(0, 10, 11);
  s.call(1, 50, 25, 1);
  s.call(0, 30, 30, 2);
  s.call(0, 80, 5);
  s.feed(3, {in(1, 900, 60 * kMs)});
  CHECK(s.ends_ms(100, {0, 100 * kMs}) == Times{100, 75, 60, 21});
  CHECK(s.ends_ms(100, {0, 100 * kMs}, {}, 2) == Times{100, 75});
  // The one that ends with the window was open, and above its objective, at its end.
  CHECK(s.ends_ms(100, {21 * kMs, 60 * kMs}) == Times{60, 21});
  CHECK(s.ends_ms(100, {0, 100 * kMs}, {{}, {}, {0}, 0}) == Times{60, 21});
  CHECK(s.ends_ms(100, {0, 100 * kMs}, {{}, {2}, {}, 0}) == Times{60});
  CHECK(s.ends_ms(100, {0, 100 * kMs}, {{}, {}, {}, 26 * kMs}) == Times{100, 60});
}

TEST_CASE("slo: the first is the first that ended, before that the one furthest above") {
  SloScene s;
  CHECK(!first_violation(s.checkpoint(10 * kMs), s.model));
  s.feed(0, {in(0, 900, 0)});
  s.feed(1, {in(1, 900, kMs)});
  CHECK(first_violation(s.checkpoint(15 * kMs), s.model)->execution.op == 0);
  CHECK(first_violation(s.checkpoint(30 * kMs), s.model)->execution.op == 0);
  CHECK(first_violation(s.checkpoint(30 * kMs), s.model)->open);
  s.feed(1, {out(1, 900, 40 * kMs)});
  s.feed(0, {out(0, 900, 50 * kMs)});
  CHECK(first_violation(s.checkpoint(60 * kMs), s.model)->execution.op == 1);
  CHECK(!first_violation(s.checkpoint(60 * kMs), s.model)->open);
}

TEST_CASE("slo: beyond what is retained, windows count from tiles, the whole run from totals") {
  SloScene s(2 << 20);
  const uint64_t calls = 200'000;
  for (uint64_t i = 0; i < calls; ++i) s.call(0, i * 20, i % 100 == 0 ? 15 : 1);
  const uint64_t end = calls * 20 * kMs;
  REQUIRE(s.checkpoint(end).first_execution > 0);
  CHECK(sum(s.whole(end)) == calls / 100);
  const Result half = s.figures(end, {0, end / 2});
  CHECK(half.partial);
  CHECK(sum(half) == calls / 200);
}

TEST_CASE("slo: activity has violations by component and column") {
  SloScene s;
  s.call(0, 0, 11);
  s.call(1, 15, 25, 1);
  s.call(0, 20, 15);
  s.call(2, 0, 90, 2);
  using Violations = Activity::Violations;
  const Activity found = activity(s.store, s.checkpoint(100 * kMs), s.model, {0, 100 * kMs}, 10);
  CHECK(found.violations == std::vector<Violations>{{0, 1, 1}, {0, 3, 1}, {0, 4, 1}});
  CHECK(activity(s.store, s.checkpoint(100 * kMs), s.model, {0, 100 * kMs}, 10, {{1}, {}, {}, 0})
            .violations.empty());
}

TEST_CASE("slo: a fold counts those of its executions that missed their objective") {
  SloScene s;
  for (uint64_t i = 0; i < 10; ++i) s.call(0, 20 * i, i % 2 ? 11 : 9);
  const Executions found =
      executions(s.store, s.checkpoint(10'000 * kMs), s.model, {0, 10'000 * kMs}, 10, 100);
  REQUIRE(found.folds.size() == 1);
  CHECK(found.folds[0].count == 10);
  CHECK(found.folds[0].violations == 5);
}
