// SPDX-License-Identifier: Apache-2.0
#include "diagrams/sequence.h"

#include <doctest/doctest.h>

#include "sample_trace.h"

using namespace compmond;
using namespace compmond::diagrams;

namespace {

// Operations: 0 of A, 1 of B, 2 of A.
SampleTrace trace(std::vector<std::pair<uint32_t, int32_t>> calls) {
  SampleTrace out;
  out.operations = {{"A", "run"}, {"B", "work"}, {"A", "again"}};
  for (const auto& [operation, caller] : calls) {
    snapshot::OneTrace::Step step;
    step.operation = operation;
    step.caller = caller;
    step.eoi = uint32_t(out.steps.size());
    step.start_ns = 10 * out.steps.size();
    step.end_ns = step.start_ns + 5 + step.eoi;
    out.steps.push_back(step);
  }
  return out;
}

std::string ends(const SequenceMessage& m) {
  return std::to_string(m.from) + (m.returns ? "-->" : "->") + std::to_string(m.to);
}

}  // namespace

TEST_CASE("sequence layout: messages stand in the order of control flow, lifelines by first call") {
  const auto layout = lay_out_sequence(trace({{0, -1}, {1, 0}, {2, 1}}), {});
  CHECK(layout.lifelines == std::vector<std::string>{"A", "B"});
  std::vector<std::string> all;
  for (const auto& message : layout.messages) all.push_back(ends(message));
  CHECK(all == std::vector<std::string>{"-1->0", "0->1", "1->0", "0-->1", "1-->0", "0-->-1"});
  for (size_t i = 1; i < layout.messages.size(); ++i)
    CHECK(layout.messages[i].y > layout.messages[i - 1].y);
  CHECK(layout.height > layout.messages.back().y);
}

TEST_CASE(
    "sequence layout: an activation reaches from its call to its return, nested ones deeper") {
  const auto layout = lay_out_sequence(trace({{0, -1}, {1, 0}, {2, 1}}), {});
  REQUIRE(layout.activations.size() == 3);
  CHECK(layout.activations[0].y0 == layout.messages[0].y);
  CHECK(layout.activations[0].y1 == layout.messages[5].y);
  CHECK(layout.activations[2].lifeline == 0);
  CHECK(layout.activations[2].depth == 1);
  CHECK(layout.messages[2].to_depth == 1);
}

TEST_CASE("sequence layout: calls that repeat are one loop, failed ones and others are not") {
  const auto repeated = trace({{0, -1}, {1, 0}, {2, 1}, {1, 0}, {2, 3}, {1, 0}, {2, 5}, {1, 0}});
  const auto folded = lay_out_sequence(repeated, {});
  REQUIRE(folded.loops.size() == 1);
  CHECK(folded.loops[0].count == 3);
  CHECK(folded.loops[0].raw_ns == 6 + 8 + 10);
  CHECK(folded.loops[0].min_ns == 6);
  CHECK(folded.loops[0].max_ns == 10);
  CHECK(folded.loops[0].first == 0);
  CHECK(folded.loops[0].last == 1);
  CHECK(folded.folded == 4);
  CHECK(folded.activations.size() == 4);

  SequenceStyle all;
  all.fold = false;
  CHECK(lay_out_sequence(repeated, all).activations.size() == 8);
  CHECK(lay_out_sequence(repeated, all).loops.empty());

  auto failing = trace({{0, -1}, {1, 0}, {1, 0}});
  failing.steps[2].failed = true;
  CHECK(lay_out_sequence(failing, {}).loops.empty());
}

TEST_CASE("sequence layout: loops in loops end where they should") {
  // Twice: B, that calls A twice.
  const auto layout =
      lay_out_sequence(trace({{0, -1}, {1, 0}, {2, 1}, {2, 1}, {1, 0}, {2, 4}, {2, 4}}), {});
  REQUIRE(layout.loops.size() == 2);
  CHECK(layout.loops[0].count == 2);
  CHECK(layout.loops[1].count == 2);
  CHECK(layout.loops[1].nesting == 1);
  CHECK(layout.loops[0].y0 < layout.loops[1].y0);
  CHECK(layout.loops[0].y1 > layout.loops[1].y1);
  CHECK(layout.folded == 4);
}

TEST_CASE("sequence layout: a chain of many thousand calls is drawn") {
  std::vector<std::pair<uint32_t, int32_t>> calls;
  for (int i = 0; i < 20'000; ++i) calls.emplace_back(i % 3, i - 1);
  const auto layout = lay_out_sequence(trace(calls), {});
  CHECK(layout.messages.size() == 40'000);
  CHECK(lay_out_sequence(trace({}), {}).messages.empty());
}

TEST_CASE("sequence layout: a message leads from activation to activation, or out and back") {
  const auto layout = lay_out_sequence(trace({{0, -1}, {1, 0}, {2, 0}}), {});
  const auto x_of = [&](size_t message, bool end) {
    const auto path = layout.path(layout.messages[message]);
    return end ? path.back().x : path.front().x;
  };
  const auto outer = layout.box(layout.activations[0]), other = layout.box(layout.activations[1]),
             nested = layout.box(layout.activations[2]);
  CHECK(x_of(0, false) < x_of(0, true));  // from outside
  CHECK(x_of(0, true) == outer.x0);
  CHECK(x_of(1, false) == outer.x1);
  CHECK(x_of(1, true) == other.x0);
  CHECK(x_of(2, false) == other.x0);  // back
  CHECK(x_of(2, true) == outer.x1);
  const auto self = layout.path(layout.messages[3]);
  REQUIRE(self.size() == 4);
  CHECK(self.front().x == outer.x1);
  CHECK(self.back() == geometry::Pt{nested.x1, nested.y0});
  CHECK(self[1].x > nested.x1);
  CHECK(nested.x0 > outer.x0);
}

TEST_CASE("sequence layout: however deep, an activation stays on its side of the next lifeline") {
  std::vector<std::pair<uint32_t, int32_t>> calls = {{1, -1}};
  for (int32_t i = 0; i < 300; ++i) calls.push_back({0, i});
  const auto layout = lay_out_sequence(trace(calls), {});
  CHECK(layout.box(layout.activations.back()).x1 < layout.line_x(2));
}

TEST_CASE("sequence layout: a loop is around the lifelines that it touches") {
  const auto layout = lay_out_sequence(trace({{0, -1}, {1, 0}, {1, 0}}), {});
  REQUIRE(layout.loops.size() == 1);
  const auto box = layout.box(layout.loops[0]);
  CHECK(box.x0 < layout.line_x(0));
  CHECK(box.x1 > layout.line_x(1));
  CHECK(box.x1 < layout.width());
}
