// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "archive/shape.h"

// A chunk of slices as its JSON has it: plain values (slice_codec.h).
namespace compmond::recording::written {

struct Inputs {
  uint64_t since_ns = 0, until_ns = 0;
  bool begins = false;
  uint32_t part = 0;
  double slowed = 0;
  std::optional<uint64_t> received;
  std::vector<uint64_t> descriptor, size;  // of each stratum with inputs: its number, how many
};

struct Calls {
  uint32_t op = 0;
  std::vector<uint32_t> cells;  // of each: descriptor, size, flags, how many; ascending
};

struct Edge {
  uint32_t from = 0, op = 0;
  std::vector<uint32_t> cells;  // likewise
};

// Executions of one operation, one after the other.
struct Singles {
  uint32_t op = 0;
  std::vector<uint64_t> times;  // of each: its thread, start, duration, what probes took
  std::vector<double> weights;
  std::vector<uint32_t> outermost;  // 1: it is
  uint64_t cut = 0, orphans = 0;
};

struct Slice {
  uint64_t start_ns = 0, end_ns = 0;
  double slow_down = 1;
  std::vector<uint32_t> attached, seen;  // operations, ascending
  std::vector<uint32_t> inputs;          // as cells
  std::vector<Calls> calls;
  std::vector<Edge> edges;
  std::vector<Singles> singles;
};

struct Step {
  std::optional<Inputs> inputs;
  std::optional<Slice> slice;
};

struct Block {
  std::vector<Step> steps;
};

template <class A>
void shape(A& a, archive::As<Inputs> auto& v) {
  a("since_ns", v.since_ns);
  a("until_ns", v.until_ns);
  a("begins", v.begins);
  a("part", v.part);
  a("slowed", v.slowed);
  a.if_any("received", v.received);
  a("descriptor", v.descriptor);
  a("size", v.size);
}

template <class A>
void shape(A& a, archive::As<Calls> auto& v) {
  a("op", v.op);
  a("cells", v.cells);
}

template <class A>
void shape(A& a, archive::As<Edge> auto& v) {
  a("from", v.from);
  a("op", v.op);
  a("cells", v.cells);
}

template <class A>
void shape(A& a, archive::As<Singles> auto& v) {
  a("op", v.op);
  a("times", v.times);
  a("weights", v.weights);
  a("outermost", v.outermost);
  a.maybe("cut", v.cut);
  a.maybe("orphans", v.orphans);
}

template <class A>
void shape(A& a, archive::As<Slice> auto& v) {
  a("start_ns", v.start_ns);
  a("end_ns", v.end_ns);
  a("slow_down", v.slow_down);
  a("attached", v.attached);
  a("inputs", v.inputs);
  a("calls", v.calls);
  a.maybe("seen", v.seen);
  a.maybe("edges", v.edges);
  a.maybe("singles", v.singles);
}

template <class A>
void shape(A& a, archive::As<Step> auto& v) {
  a.if_any("inputs", v.inputs);
  a.if_any("slice", v.slice);
}

template <class A>
void shape(A& a, archive::As<Block> auto& v) {
  a("steps", v.steps);
}

}  // namespace compmond::recording::written
