// SPDX-License-Identifier: Apache-2.0
#include "diagrams/timing.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>

using namespace compmond::diagrams;
using View = compmond::snapshot::ExecutionsView;

namespace {

// Builds a view as the tracer would: executions of a thread are properly nested.
struct Run {
  View view;
  Run() {
    view.start_ns = 0, view.end_ns = 1000;
    for (const char* name : {"A", "B", "C"}) view.operations.push_back({name, "op"});
  }
  View::Execution& add(uint32_t operation, int64_t tid, uint64_t start, uint64_t end, uint32_t ess,
                       uint64_t trace = 1) {
    View::Execution e;
    e.operation = operation, e.pid = 1, e.tid = tid, e.start_ns = start, e.end_ns = end;
    e.ess = ess, e.trace_id = trace, e.closed = compmond::snapshot::Ending::kReturned;
    view.executions.push_back(e);
    return view.executions.back();
  }
  // Three columns 100 px wide, 1 px per ns.
  TimingInput input(double px_per_ns = 1) const {
    TimingInput in{view, {0, 1, 2}, {{0, 100}, {100, 200}, {200, 300}}, {0, 1000, 0, 0}};
    in.axis.length_px = 1000 * px_per_ns;
    return in;
  }
};

const TimingBar* bar_of(const TimingLayout& layout, uint32_t execution) {
  for (const TimingBar& bar : layout.bars)
    if (bar.execution == execution) return &bar;
  return nullptr;
}

// Random nested executions of a few threads, by the rules of eoi and ess.
Run random_run(int threads, int steps) {
  Run run;
  uint64_t trace = 0;
  for (int64_t tid = 1; tid <= threads; ++tid) {
    uint64_t now = *rc::gen::inRange<uint64_t>(0, 50);
    std::vector<size_t> stack;
    const auto pop = [&] {
      run.view.executions[stack.back()].end_ns = now;
      stack.pop_back();
    };
    for (int i = 0; i < steps; ++i) {
      now += *rc::gen::inRange<uint64_t>(1, 30);
      if (stack.size() < 6 && *rc::gen::inRange(0, 2)) {
        if (stack.empty()) ++trace;
        run.add(*rc::gen::inRange(0u, 3u), tid, now, now, uint32_t(stack.size()), trace);
        stack.push_back(run.view.executions.size() - 1);
      } else if (!stack.empty()) {
        pop();
      }
    }
    while (!stack.empty()) {
      now += 1;
      pop();
    }
  }
  std::stable_sort(run.view.executions.begin(), run.view.executions.end(),
                   [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
  return run;
}

}  // namespace

TEST_CASE("timing: a bar knows where it passed its objective, a fold how many did") {
  Run run;
  run.view.operations[0].objective_ns = 100;
  run.add(0, 1, 100, 200, 0);
  run.add(0, 1, 300, 500, 0, 2);
  run.add(1, 1, 300, 900, 0, 3);
  const TimingLayout bars = lay_out(run.input());
  CHECK(!bar_of(bars, 0)->y_missed);
  CHECK(bar_of(bars, 1)->y_missed == 400);
  CHECK(!bar_of(bars, 2)->y_missed);
  run.view.folds.push_back({0, 1, 1, 0, 100, 700, 7, 600, 600, 4});
  const TimingLayout folded = lay_out(run.input(0.001));
  uint64_t violations = 0;
  for (const TimingFold& fold : folded.folds) violations += fold.violations;
  CHECK(violations == 5);
}

TEST_CASE("timing: an execution is a bar from its start to its end, its callee a waiting part") {
  Run run;
  run.add(0, 7, 100, 500, 0);
  run.add(1, 7, 200, 300, 1);
  const TimingLayout layout = lay_out(run.input());
  REQUIRE(layout.bars.size() == 2);
  const TimingBar& outer = *bar_of(layout, 0);
  CHECK(outer.column == 0);
  CHECK(outer.y0 == 100);
  CHECK(outer.y1 == 500);
  REQUIRE(outer.waits == 1);
  CHECK(layout.waits[outer.first_wait].y0 == 200);
  CHECK(layout.waits[outer.first_wait].y1 == 300);
  CHECK(layout.waits[outer.first_wait].share == 1);
  CHECK(bar_of(layout, 1)->waits == 0);
}

TEST_CASE("timing: threads at the same time stand side by side, one after the other share a lane") {
  Run run;
  run.add(0, 7, 100, 500, 0, 1);
  run.add(0, 8, 400, 800, 0, 2);
  run.add(0, 9, 600, 900, 0, 3);
  const TimingLayout layout = lay_out(run.input());
  CHECK(layout.lanes == std::vector<int>{2, 0, 0});
  CHECK(bar_of(layout, 0)->lane == 0);
  CHECK(bar_of(layout, 1)->lane == 1);
  CHECK(bar_of(layout, 2)->lane == 0);
  CHECK(bar_of(layout, 0)->x1 < bar_of(layout, 1)->x0);
}

TEST_CASE("timing: an execution inside one of its own component stands in the same lane, inset") {
  Run run;
  run.add(0, 7, 100, 500, 0);
  run.add(0, 7, 200, 300, 1);
  const TimingLayout layout = lay_out(run.input());
  CHECK(layout.lanes[0] == 1);
  CHECK(bar_of(layout, 1)->depth == 1);
  CHECK(bar_of(layout, 1)->x0 > bar_of(layout, 0)->x0);
  CHECK(bar_of(layout, 1)->x1 == bar_of(layout, 0)->x1);
}

TEST_CASE("timing: a callee of another trace or thread is nobody's waiting part") {
  Run run;
  run.add(0, 7, 100, 500, 0, 1);
  run.add(1, 7, 200, 300, 1, 2);
  run.add(1, 8, 200, 300, 1, 1);
  CHECK(callers(run.view) == std::vector<int64_t>{-1, -1, -1});
}

TEST_CASE("timing: a component that is not shown has no bar but is still waited for") {
  Run run;
  run.add(0, 7, 100, 500, 0);
  run.add(1, 7, 200, 300, 1);
  TimingInput in = run.input();
  in.column_of[1] = -1;
  const TimingLayout layout = lay_out(in);
  CHECK(layout.bars.size() == 1);
  CHECK(layout.bars[0].waits == 1);
}

TEST_CASE("timing: a filter for a thread leaves the others out") {
  Run run;
  run.add(0, 7, 100, 500, 0, 1);
  run.add(0, 8, 100, 500, 0, 2);
  TimingInput in = run.input();
  in.thread = 8;
  const TimingLayout layout = lay_out(in);
  REQUIRE(layout.bars.size() == 1);
  CHECK(layout.bars[0].execution == 1);
}

TEST_CASE("timing: short executions close together become one fold, far ones their own") {
  Run run;
  run.add(0, 7, 100, 101, 0, 1).real_ns = 1;
  run.add(0, 7, 101, 102, 0, 2).real_ns = 1;
  run.add(0, 7, 700, 701, 0, 3).closed = compmond::snapshot::Ending::kLossy;
  const TimingLayout layout = lay_out(run.input());
  CHECK(layout.bars.empty());
  REQUIRE(layout.folds.size() == 2);
  CHECK(layout.folds[0].count == 2);
  CHECK(layout.folds[0].raw_ns == 2);
  CHECK(layout.folds[0].execution == -1);
  CHECK(layout.folds[0].utilisation == 1);
  CHECK_FALSE(layout.folds[0].uncertain);
  CHECK(layout.folds[1].execution == 2);
  CHECK(layout.folds[1].uncertain);
}

TEST_CASE("timing: a fold of the daemon keeps its height, and is waited for by its share") {
  Run run;
  run.add(0, 7, 100, 500, 0);
  View::Fold fold;
  fold.operation = 1, fold.pid = 1, fold.tid = 7, fold.ess = 1;
  fold.start_ns = 200, fold.end_ns = 300, fold.count = 40, fold.raw_ns = 25, fold.real_ns = 20;
  run.view.folds.push_back(fold);
  const TimingLayout layout = lay_out(run.input());
  REQUIRE(layout.folds.size() == 1);
  CHECK(layout.folds[0].count == 40);
  CHECK(layout.folds[0].y1 - layout.folds[0].y0 == 100);
  CHECK(layout.folds[0].utilisation == doctest::Approx(0.25));
  REQUIRE(layout.bars[0].waits == 1);
  CHECK(layout.waits[0].share == doctest::Approx(0.25));
}

TEST_CASE("timing: a moment in a long window is no busy bar, however short it is drawn") {
  Run run;
  run.add(0, 7, 2'000'000'000, 2'006'000'000, 0);  // 6 ms of 5 s
  TimingInput in = run.input();
  in.axis = {0, 5'000'000'000, 0, 500};
  const TimingLayout layout = lay_out(in);
  REQUIRE(layout.folds.size() == 1);
  const TimingFold& fold = layout.folds[0];
  CHECK(fold.y1 - fold.y0 == kLeastFoldPx);
  // 6 ms of the 15 ms that its height stands for.
  CHECK(fold.utilisation == doctest::Approx(0.4));
}

TEST_CASE("timing: arrows for the call and for the return, none for a return that was not seen") {
  Run run;
  run.add(0, 7, 100, 500, 0);
  run.add(1, 7, 200, 300, 1);
  run.add(2, 7, 400, 490, 1).closed = compmond::snapshot::Ending::kAbandoned;
  TimingInput in = run.input();
  CHECK(lay_out(in).arrows.empty());
  in.arrows = true;
  const auto arrows = lay_out(in).arrows;
  REQUIRE(arrows.size() == 3);
  CHECK(arrows[0].y == 200);
  CHECK(arrows[0].x0 < arrows[0].x1);
  CHECK_FALSE(arrows[0].returns);
  CHECK(arrows[1].y == 300);
  CHECK(arrows[1].returns);
  CHECK(arrows[1].x0 > arrows[1].x1);
  CHECK(arrows[2].y == 400);
}

TEST_CASE("timing: what is outside the axis is left out") {
  Run run;
  run.add(0, 7, 100, 200, 0, 1);
  run.add(0, 7, 600, 700, 0, 2);
  TimingInput in = run.input();
  in.axis.start_ns = 300;
  CHECK(lay_out(in).bars.size() == 1);
  CHECK(lay_out(in).bars[0].execution == 1);
}

TEST_CASE("timing: more threads than fit share the last lane, and that is told") {
  Run run;
  for (int64_t tid = 1; tid <= 60; ++tid) run.add(0, tid, 100, 500, 0, uint64_t(tid));
  const TimingLayout layout = lay_out(run.input());
  CHECK(layout.lanes[0] == 60);
  CHECK(layout.crowded > 0);
  for (const TimingBar& bar : layout.bars) {
    CHECK(bar.x0 >= 0);
    CHECK(bar.x1 <= 100);
    CHECK(bar.x1 > bar.x0);
  }
}

TEST_CASE("timing: callers equal those found by looking at every pair") {
  rc::check([] {
    const Run run = random_run(*rc::gen::inRange(1, 5), *rc::gen::inRange(0, 40));
    const auto found = callers(run.view);
    const auto& all = run.view.executions;
    for (size_t i = 0; i < all.size(); ++i) {
      int64_t expected = -1;
      for (size_t j = 0; j < all.size(); ++j)
        if (all[j].tid == all[i].tid && all[j].trace_id == all[i].trace_id &&
            all[j].ess + 1 == all[i].ess && all[j].start_ns <= all[i].start_ns &&
            all[j].end_ns >= all[i].end_ns)
          expected = int64_t(j);
      RC_ASSERT(found[i] == expected);
    }
  });
}

TEST_CASE("timing: every execution is in one bar or one fold, whatever the scale") {
  rc::check([] {
    const Run run = random_run(*rc::gen::inRange(1, 5), *rc::gen::inRange(0, 40));
    const double px_per_ns = *rc::gen::elementOf(std::vector<double>{0.01, 0.1, 0.3, 1, 10});
    TimingInput in = run.input(px_per_ns);
    in.axis.end_ns = 100'000, in.axis.length_px = 100'000 * px_per_ns;
    const TimingLayout layout = lay_out(in);
    std::multiset<uint32_t> seen;
    uint64_t folded = 0, raw = 0, all_raw = 0;
    for (const TimingBar& bar : layout.bars) {
      seen.insert(bar.execution);
      const auto& e = run.view.executions[bar.execution];
      raw += e.end_ns - e.start_ns;
      RC_ASSERT(bar.y1 - bar.y0 >= kFoldPx);
      RC_ASSERT(bar.column == int(e.operation));
    }
    for (const TimingFold& fold : layout.folds) folded += fold.count, raw += fold.raw_ns;
    for (const auto& e : run.view.executions) all_raw += e.end_ns - e.start_ns;
    RC_ASSERT(seen.size() == std::set<uint32_t>(seen.begin(), seen.end()).size());
    RC_ASSERT(seen.size() + folded == run.view.executions.size());
    RC_ASSERT(raw == all_raw);
  });
}

TEST_CASE("timing: bars of one lane and depth never overlap, waiting parts lie in their bars") {
  rc::check([] {
    const Run run = random_run(*rc::gen::inRange(1, 6), *rc::gen::inRange(0, 40));
    TimingInput in = run.input();
    in.axis.end_ns = 100'000, in.axis.length_px = 100'000;
    const TimingLayout layout = lay_out(in);
    for (const TimingBar& a : layout.bars) {
      for (const TimingBar& b : layout.bars)
        if (&a != &b && a.column == b.column && a.lane == b.lane && a.depth == b.depth)
          RC_ASSERT(a.y1 <= b.y0 || b.y1 <= a.y0);
      double waited = 0;
      for (uint32_t w = a.first_wait; w < a.first_wait + a.waits; ++w) {
        const TimingWait& wait = layout.waits[w];
        RC_ASSERT(wait.y0 >= a.y0 - 1e-6);
        RC_ASSERT(wait.y1 <= a.y1 + 1e-6);
        waited += (wait.y1 - wait.y0) * wait.share;
      }
      // At 1 px per ns the waiting parts add up to the raw time of what is nested directly.
      uint64_t nested = 0;
      const auto outer = callers(run.view);
      for (size_t i = 0; i < outer.size(); ++i)
        if (outer[i] == int64_t(a.execution))
          nested += run.view.executions[i].end_ns - run.view.executions[i].start_ns;
      RC_ASSERT(std::abs(waited - double(nested)) < 1e-6);
    }
  });
}
