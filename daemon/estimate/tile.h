// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/limits.h"
#include "estimate/sums.h"
#include "stacks/key.h"

namespace compmond::estimate {

struct Row {
  Key key;
  Sums sums;
};

// The sums of a part of the run's time, by key. Threads, processes, calls and images can be any
// number in a run: where a tile has too many rows, those of them with the least time become one row
// of their kind, Key::kOthers. All others are as many as the plan has.
class Tile {
 public:
  Tile(uint64_t from_ns, uint64_t to_ns) : start_ns(from_ns), end_ns(to_ns) {}

  uint64_t start_ns, end_ns;
  int merged = 0;  // how often it was put together with others of its size
  Totals totals;

  void add(Key key, const Sums& sums);
  void add_rows(std::vector<Row> rows);                   // in any order, each key once
  void extend(const Tile& next);                          // by the time right after it
  const std::vector<Row>& rows() const { return rows_; }  // by key
  const Sums* find(Key key) const;
  size_t memory_bytes() const { return sizeof *this + rows_.capacity() * sizeof(Row); }

  static constexpr size_t kRowsMost = limits::kSampleTileRows;

 private:
  void merge(const std::vector<Row>& fresh);
  void fold();

  std::vector<Row> rows_;
};

}  // namespace compmond::estimate
