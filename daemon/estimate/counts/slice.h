// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "counts/strata.h"

namespace compmond::estimate {

// What is counted: an operation or an edge from one to another, as whoever asks numbers them.
using Item = uint32_t;

// Where something happened.
struct Cell {
  Stratum stratum;        // of the last input of its thread
  bool first = false;     // in the first part of the slice, in which queues still fill
  bool complete = false;  // the thread's next input came within the slice, too
  bool carried = false;   // no input of its thread was seen before it: there is no stratum
  auto key() const {
    return std::tuple(stratum.descriptor, stratum.size, first, complete, carried);
  }
  bool operator<(const Cell& other) const { return key() < other.key(); }
};

// A time in which probes of some operations were there, and what they saw. All of it adds up.
struct Slice {
  uint64_t start_ns = 0, end_ns = 0;
  double slow_down = 1;        // of the threads that it slowed most: slow_down.h
  std::vector<bool> attached;  // per item
  std::map<Cell, uint32_t> inputs;
  std::map<Item, std::map<Cell, uint32_t>> calls;  // of attached ones

  bool has(Item item) const { return item < attached.size() && attached[item]; }
};

}  // namespace compmond::estimate
