// SPDX-License-Identifier: Apache-2.0
#include "diagrams/trace_timing.h"

#include <doctest/doctest.h>

#include "sample_trace.h"

using namespace compmond;
using namespace compmond::diagrams;
using namespace compmond::geometry;

namespace {

struct Call {
  uint32_t operation;
  int32_t caller;
  uint64_t start_ns, end_ns;
};

SampleTrace trace(const std::vector<Call>& calls) {
  SampleTrace out;
  out.operations = {{"A", "run"}, {"B", "work"}, {"C", "store"}};
  for (const Call& call : calls) {
    snapshot::OneTrace::Step step;
    step.operation = call.operation;
    step.caller = call.caller;
    step.start_ns = call.start_ns;
    step.end_ns = call.end_ns;
    step.real_ns = 1;
    out.steps.push_back(step);
  }
  return out;
}

const Axis kAxis{0, 1000, 100, 500};  // two ns per pixel

}  // namespace

TEST_CASE("trace timing layout: a row per operation, by first start") {
  const auto layout =
      lay_out_trace_timing(trace({{1, -1, 0, 1000}, {2, 0, 100, 400}, {0, 0, 500, 700}}), kAxis);
  CHECK(layout.rows == std::vector<uint32_t>{1, 2, 0});
  REQUIRE(layout.bars.size() == 3);
  CHECK(layout.bars[1].row == 1);
  CHECK(layout.bars[1].x0 == doctest::Approx(150));
  CHECK(layout.bars[1].x1 == doctest::Approx(300));
}

TEST_CASE(
    "trace timing layout: a bar waits where what it called runs, a call goes from row to row") {
  const auto layout =
      lay_out_trace_timing(trace({{0, -1, 0, 1000}, {1, 0, 100, 400}, {1, 0, 500, 700}}), kAxis);
  REQUIRE(layout.bars[0].waits == 2);
  const TraceWait& second = layout.waits[layout.bars[0].first_wait + 1];
  CHECK(second.x0 == doctest::Approx(350));
  CHECK(second.x1 == doctest::Approx(450));
  REQUIRE(layout.calls.size() == 2);
  CHECK(layout.calls[1].from == 0);
  CHECK(layout.calls[1].to == 1);
  CHECK(layout.calls[1].x == doctest::Approx(350));
}

TEST_CASE("trace timing layout: recursion lies deeper, also with others in between") {
  const auto layout = lay_out_trace_timing(
      trace({{0, -1, 0, 1000}, {1, 0, 100, 900}, {0, 1, 200, 800}, {0, 2, 300, 700}}), kAxis);
  CHECK(layout.bars[0].depth == 0);
  CHECK(layout.bars[2].depth == 1);
  CHECK(layout.bars[3].depth == 2);
}

TEST_CASE("trace timing layout: narrow neighbours are one, counted and summed up") {
  std::vector<Call> calls = {{0, -1, 0, 1000}};
  for (uint64_t i = 0; i < 20; ++i) calls.push_back({1, 0, 100 + 3 * i, 102 + 3 * i});
  calls.push_back({1, 0, 800, 801});
  const auto layout = lay_out_trace_timing(trace(calls), kAxis);
  CHECK(layout.bars.size() == 1);
  REQUIRE(layout.folds.size() == 2);
  CHECK(layout.folds[0].count == 20);
  CHECK(layout.folds[0].raw_ns == 40);
  CHECK(layout.folds[0].start_ns == 100);
  CHECK(layout.folds[0].end_ns == 159);
  CHECK(layout.folds[1].count == 1);
  CHECK(layout.bars[0].waits == 21);
}

TEST_CASE("trace timing layout: what lies outside the axis is left out, its row stays") {
  const Axis part{0, 300, 0, 300};
  const auto layout = lay_out_trace_timing(trace({{0, -1, 0, 1000}, {1, 0, 400, 600}}), part);
  CHECK(layout.rows.size() == 2);
  CHECK(layout.bars.size() == 1);
}

TEST_CASE("trace timing layout: where narrow ones are asked for, nothing is folded") {
  const auto all = trace({{0, -1, 0, 1000}, {1, 0, 100, 101}, {1, 0, 102, 103}});
  CHECK(lay_out_trace_timing(all, kAxis).folds.size() == 1);
  CHECK(lay_out_trace_timing(all, kAxis, 0).bars.size() == 3);
}

TEST_CASE("trace rows: bars inside others are smaller, calls lead from edge to edge") {
  const auto layout =
      lay_out_trace_timing(trace({{0, -1, 0, 1000}, {0, 0, 100, 900}, {1, 1, 200, 400}}), kAxis);
  const TraceRows rows = TraceRows{}.scaled(2);
  const Rect outer = rows.box(layout.bars[0]), inner = rows.box(layout.bars[1]),
             below = rows.box(layout.bars[2]);
  CHECK(outer.height() == 36);
  CHECK(inner.height() == 24);
  CHECK(inner.centre().y == outer.centre().y);
  CHECK(below.y0 - outer.y0 == 68);
  REQUIRE(layout.calls.size() == 2);
  CHECK(rows.ends(layout.calls[1]).y0 == outer.y1);
  CHECK(rows.ends(layout.calls[1]).y1 == below.y0);
}
