// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "counts/strata.h"

namespace compmond::counts {

// What is counted: an operation or an edge from one to another, as whoever asks numbers them.
using Item = uint32_t;
using Pair = std::pair<Item, Item>;  // an operation that called, directly as far as was seen, and
                                     // one that was called

// Where something happened.
struct Cell {
  Stratum stratum;        // of the last input of its thread
  bool first = false;     // in the first part of the slice, in which queues still fill
  bool complete = false;  // the thread's next input came within the slice, too
  bool carried = false;   // no input of its thread was seen before it: there is no stratum
  auto key() const {
    return std::tuple(stratum.descriptor, stratum.size, first, complete, carried);
  }
};

// How many there were, by where.
class Cells {
 public:
  uint32_t& operator[](const Cell& cell) {
    const auto at = std::ranges::lower_bound(cells_, cell.key(), {},
                                             [](const Counted& one) { return one.first.key(); });
    if (at != cells_.end() && at->first.key() == cell.key()) return at->second;
    return cells_.insert(at, {cell, 0})->second;
  }
  auto begin() const { return cells_.begin(); }
  auto end() const { return cells_.end(); }
  auto begin() { return cells_.begin(); }
  auto end() { return cells_.end(); }

 private:
  using Counted = std::pair<Cell, uint32_t>;
  std::vector<Counted> cells_;  // sorted
};

// A time in which probes of some operations were there, and what they saw. All of it adds up.
struct Slice {
  uint64_t start_ns = 0, end_ns = 0;
  double slow_down = 1;        // of the threads that it slowed most: slow_down.h
  std::vector<bool> attached;  // per item
  // Per operation, whether all of its calls could be seen, with their ends: attached ones, if not
  // their entries alone, and those that always are. Empty: those that are attached.
  std::vector<bool> seen;
  Cells inputs;
  std::map<Item, Cells> calls;  // of attached ones
  std::map<Pair, Cells> edges;  // between seen ones

  bool has(Item item) const { return item < attached.size() && attached[item]; }
  bool saw(Item item) const { return seen.empty() ? has(item) : item < seen.size() && seen[item]; }
};

}  // namespace compmond::counts
