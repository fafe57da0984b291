// SPDX-License-Identifier: Apache-2.0
#include "counts/collector.h"

#include <doctest/doctest.h>

using namespace compmond::counts;

namespace {

constexpr Stratum kSeven{7, 20}, kEight{8, 24};

uint32_t at(const Cells& cells, Cell cell) {
  for (const auto& [one, count] : cells)
    if (one.key() == cell.key()) return count;
  return 0;
}

uint32_t inputs(const Slice& slice, Cell cell) { return at(slice.inputs, cell); }

uint32_t calls(const Slice& slice, Item item, Cell cell) {
  const auto of = slice.calls.find(item);
  return of == slice.calls.end() ? 0 : at(of->second, cell);
}

}  // namespace

TEST_CASE("collector: calls belong to the input of their thread before them") {
  Collector collector(0, 0, {true});
  collector.on_input(1, 10, kSeven);
  collector.on_input(2, 10, kEight);
  collector.on_call(1, 20, 0);
  collector.on_call(2, 20, 0);
  collector.on_call(2, 30, 0);
  const Slice slice = collector.end(100, 1.5);
  CHECK(slice.end_ns == 100);
  CHECK(slice.slow_down == 1.5);
  CHECK(inputs(slice, {kSeven}) == 1);
  CHECK(calls(slice, 0, {kSeven}) == 1);
  CHECK(calls(slice, 0, {kEight}) == 2);
}

TEST_CASE("collector: a cycle is complete when the thread's next input comes") {
  Collector collector(0, 0, {true});
  collector.on_input(1, 10, kSeven);
  collector.on_call(1, 20, 0);
  collector.on_input(1, 30, kEight);
  collector.on_call(1, 40, 0);
  const Slice slice = collector.end(100, 1);
  CHECK(inputs(slice, {.stratum = kSeven, .complete = true}) == 1);
  CHECK(calls(slice, 0, {.stratum = kSeven, .complete = true}) == 1);
  CHECK(inputs(slice, {kEight}) == 1);
  CHECK(calls(slice, 0, {kEight}) == 1);
}

TEST_CASE(
    "collector: calls after an input before the slice have its stratum, in no complete cycle") {
  Collector collector(0, 0, {true});
  collector.on_earlier(1, kSeven);
  collector.on_call(1, 5, 0);
  collector.on_input(1, 10, kEight);
  const Slice slice = collector.end(100, 1);
  CHECK(calls(slice, 0, {kSeven}) == 1);
  CHECK(inputs(slice, {kSeven}) == 0);
  CHECK(inputs(slice, {kEight}) == 1);
}

TEST_CASE("collector: calls of a thread without any input are carried over") {
  Collector collector(0, 0, {true});
  collector.on_call(1, 5, 0);
  const Slice slice = collector.end(100, 1);
  CHECK(calls(slice, 0, {.stratum = {}, .carried = true}) == 1);
}

TEST_CASE("collector: the first part of a slice is kept apart by the time of each event") {
  Collector collector(0, 20, {true});
  collector.on_input(1, 10, kSeven);
  collector.on_call(1, 15, 0);
  collector.on_call(1, 25, 0);
  const Slice slice = collector.end(100, 1);
  CHECK(inputs(slice, {.stratum = kSeven, .first = true}) == 1);
  CHECK(calls(slice, 0, {.stratum = kSeven, .first = true}) == 1);
  CHECK(calls(slice, 0, {kSeven}) == 1);
}

TEST_CASE("collector: what is not attached in the slice does not count") {
  Collector collector(0, 0, {true, false});
  collector.on_input(1, 10, kSeven);
  collector.on_call(1, 15, 1);
  collector.on_call(1, 15, 2);
  const Slice slice = collector.end(100, 1);
  CHECK(slice.calls.empty());
}

TEST_CASE("collector: edges are between what was seen, whether or not it is the slice's own") {
  Collector collector(0, 0, {false, true, false}, {true, true, false});
  collector.on_input(1, 10, kSeven);
  collector.on_call(1, 20, 1, 0);
  collector.on_call(1, 21, 1);
  collector.on_call(1, 22, 2, 1);
  collector.on_call(1, 23, 0, 1);
  const Slice slice = collector.end(100, 1);
  CHECK(calls(slice, 1, {kSeven}) == 2);
  CHECK(slice.calls.size() == 1);
  CHECK(slice.edges.size() == 2);
  CHECK(at(slice.edges.at({0, 1}), {kSeven}) == 1);
  CHECK(at(slice.edges.at({1, 0}), {kSeven}) == 1);
}
