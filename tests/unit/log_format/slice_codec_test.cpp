// SPDX-License-Identifier: Apache-2.0
#include "log_format/slice_codec.h"

#include <doctest/doctest.h>

#include <functional>

using namespace compmond;
using namespace compmond::recording;
using counts::Cell;

namespace {

constexpr uint64_t kT = 5'000;
constexpr size_t kOperations = 3;
using Inputs = SliceBlock::Inputs;
using Taken = SliceBlock::Taken;

SliceBlock small_block() {
  SliceBlock out;
  out.first_step = 7;
  Inputs inputs{kT, kT + 100, true, {}};
  inputs.seen.part = counts::InputTimes::Part::kSample;
  inputs.seen.slowed = 0.1;
  inputs.seen.received = 30;
  inputs.seen.inputs.descriptor[5] = 40;
  inputs.seen.inputs.size[63] = 9'000'000'000;
  out.steps.push_back(inputs);
  Taken taken;
  taken.slice.start_ns = kT + 20;
  taken.slice.end_ns = kT + 80;
  taken.slice.slow_down = 1.7;
  taken.slice.attached = {true, false, true};
  const Cell cell{.stratum = {5, 63}, .first = true, .complete = true};
  taken.slice.inputs[cell] = 4;
  taken.slice.inputs[{.carried = true}] = 2;
  taken.slice.calls[0][cell] = 3;
  taken.slice.calls[2][{.stratum = {1, 2}}] = 1;
  taken.slice.seen = {true, true, true};
  taken.slice.edges[{1, 2}][cell] = 1;
  taken.singles.slice = {kT + 20, kT + 80};
  taken.singles.slow_down = 1.7;
  taken.singles.singles = {{2, 9, kT + 30, 20, 3, 1.5, false}};
  taken.singles.edges[0] = {2, 1};
  out.steps.push_back(taken);
  return out;
}

Inputs& inputs_of(SliceBlock& block) { return std::get<Inputs>(block.steps[0]); }
Taken& taken_of(SliceBlock& block) { return std::get<Taken>(block.steps[1]); }

Result<SliceBlock> again(const SliceBlock& block, size_t operations = kOperations) {
  ChunkHead head;
  const std::string payload = encode(block, head);
  return decode_slices(head, payload, operations);
}

std::string text_of(const SliceBlock& block) {
  ChunkHead head;
  return encode(block, head);
}

// Whether it comes out again when this is changed in it.
bool survives(const std::function<void(SliceBlock&)>& change) {
  SliceBlock block = small_block();
  change(block);
  return again(block).has_value();
}

}  // namespace

TEST_CASE("slice codec: what is told comes out of a chunk as it went in") {
  ChunkHead head;
  const std::string payload = encode(small_block(), head);
  CHECK(head.type == ChunkType::kSlices);
  CHECK(head.events == 2);
  CHECK(head.first_event == 7);
  CHECK(head.min_ns == kT);
  CHECK(head.max_ns == kT + 100);
  auto out = decode_slices(head, payload, kOperations);
  REQUIRE(out);
  CHECK(out->first_step == 7);
  CHECK(text_of(*out) == payload);
  const Inputs& inputs = inputs_of(*out);
  CHECK((inputs.begins && inputs.since_ns == kT && inputs.until_ns == kT + 100));
  CHECK(inputs.seen.part == counts::InputTimes::Part::kSample);
  CHECK(inputs.seen.slowed == 0.1);
  CHECK(inputs.seen.received == 30);
  CHECK(inputs.seen.inputs.descriptor[5] == 40);
  CHECK(inputs.seen.inputs.size[63] == 9'000'000'000);
  Taken& taken = taken_of(*out);
  CHECK(taken.slice.slow_down == 1.7);
  CHECK(taken.slice.attached == std::vector<bool>{true, false, true});
  CHECK(taken.slice.calls[0][Cell{.stratum = {5, 63}, .first = true, .complete = true}] == 3);
  CHECK(taken.slice.inputs[Cell{.carried = true}] == 2);
  CHECK(taken.slice.edges.at({1, 2}).begin()->second == 1);
  REQUIRE(taken.singles.singles.size() == 1);
  const singles::Single& single = taken.singles.singles[0];
  CHECK((single.operation == 2 && single.thread == 9 && single.start_ns == kT + 30));
  CHECK((single.duration_ns == 20 && single.probes_ns == 3 && single.weight == 1.5));
  CHECK_FALSE(single.outermost);
  CHECK(taken.singles.edges.at(0).cut == 2);
  CHECK(taken.singles.edges.at(0).orphans == 1);
}

TEST_CASE("slice codec: what cannot be is refused") {
  CHECK(survives([](SliceBlock&) {}));
  CHECK(survives([](SliceBlock& b) { inputs_of(b).seen.received.reset(); }));
  CHECK_FALSE(survives([](SliceBlock& b) { inputs_of(b).seen.received = 1e17; }));
  CHECK_FALSE(survives([](SliceBlock& b) { inputs_of(b).until_ns = kT; }));
  CHECK_FALSE(survives([](SliceBlock& b) { inputs_of(b).seen.slowed = 1.5; }));
  CHECK_FALSE(survives([](SliceBlock& b) { inputs_of(b).seen.inputs.size[0] = 1e17; }));
  CHECK_FALSE(
      survives([](SliceBlock& b) { inputs_of(b).seen.part = counts::InputTimes::Part(3); }));
  CHECK_FALSE(survives([](SliceBlock& b) { taken_of(b).slice.slow_down = 0.5; }));
  CHECK_FALSE(survives([](SliceBlock& b) { taken_of(b).slice.attached.push_back(true); }));
  CHECK_FALSE(
      survives([](SliceBlock& b) { taken_of(b).slice.calls[1][Cell{}] = 1; }));  // not there
  CHECK_FALSE(survives([](SliceBlock& b) { taken_of(b).slice.edges[{3, 0}][Cell{}] = 1; }));
  const auto single = [](SliceBlock& b) -> singles::Single& {
    return taken_of(b).singles.singles[0];
  };
  CHECK_FALSE(survives([&](SliceBlock& b) { single(b).operation = 3; }));
  CHECK_FALSE(survives([&](SliceBlock& b) { single(b).start_ns = kT; }));
  CHECK_FALSE(survives([&](SliceBlock& b) { single(b).duration_ns = 51; }));
  CHECK_FALSE(survives([&](SliceBlock& b) { single(b).probes_ns = 21; }));
  CHECK_FALSE(survives([&](SliceBlock& b) { single(b).weight = 0.5; }));
  CHECK_FALSE(survives([&](SliceBlock& b) {
    taken_of(b).singles.singles.resize(singles::kPerSlice + 1, single(b));
  }));
  CHECK_FALSE(survives([](SliceBlock& b) { taken_of(b).slice.inputs[{.stratum = {64, 0}}] = 1; }));
  CHECK_FALSE(again(small_block(), 2));
  CHECK_FALSE(survives([](SliceBlock& b) { b.steps.resize(kMaxSliceSteps + 1, b.steps[0]); }));
}

TEST_CASE("slice codec: a payload that is cut off, or other than its head says, is malformed") {
  ChunkHead head;
  const std::string payload = encode(small_block(), head);
  for (size_t size = 0; size < payload.size(); ++size)
    CHECK_FALSE(decode_slices(head, std::string_view(payload).substr(0, size), kOperations));
  ChunkHead other = head;
  other.max_ns = kT + 90;
  CHECK_FALSE(decode_slices(other, payload, kOperations));
  other = head;
  other.events = 1;
  CHECK_FALSE(decode_slices(other, payload, kOperations));
  const std::string twice = R"({"steps":[{},{}]})";
  const auto refused = decode_slices(head, twice, kOperations);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Exit::kData);
}
