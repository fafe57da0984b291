// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "history/edge_table.h"
#include "history/sums.h"
#include "trace/execution.h"

namespace compmond::history {

// Everything that the figures of a window need of the executions of one or more chunks, when all of
// them ended in the window: exact sums, and the few executions that may have begun before it one by
// one. Value type.
struct Summary {
  struct Operation : Sums {
    trace::OperationId op = 0;
    uint32_t buckets = 0;  // how many of `buckets` are its
  };
  struct Thread : ThreadSums {
    trace::ThreadId thread = 0;
  };
  // An execution that began before the first of all ended, or in which others are nested that are
  // not here.
  struct Long {
    trace::Execution execution;
    uint64_t nested_ns = 0;  // raw times of those directly nested in it that are here
  };
  // Raw times of executions here that are directly nested in one that is not.
  struct Part {
    trace::ThreadId thread = 0;
    uint32_t depth = 0;
    uint64_t trace_id = 0;
    uint64_t ns = 0;
  };
  // A bucket of Histogram in the high 12 bits, a count in the low 20; may come several times.
  using Bucket = uint32_t;
  static constexpr int kCountBits = 20;
  static constexpr uint32_t kMaxCount = (uint32_t(1) << kCountBits) - 1;
  static constexpr uint32_t bucket(Bucket b) { return b >> kCountBits; }
  static constexpr uint32_t count(Bucket b) { return b & kMaxCount; }

  std::vector<Operation> operations;
  std::vector<Bucket> buckets;  // of raw times: those of operations[0] first
  std::vector<EdgeTotals> edges;
  std::vector<Thread> threads;
  std::vector<Long> longs;  // in the order in which they closed
  std::vector<Part> parts;

  size_t memory_bytes() const {
    return sizeof(*this) + operations.capacity() * sizeof(Operation) +
           buckets.capacity() * sizeof(Bucket) + edges.capacity() * sizeof(EdgeTotals) +
           threads.capacity() * sizeof(Thread) + longs.capacity() * sizeof(Long) +
           parts.capacity() * sizeof(Part);
  }
};

}  // namespace compmond::history
