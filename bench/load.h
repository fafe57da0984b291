// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "record/record.h"

namespace compmond::bench {

constexpr uint32_t kOperations = 40;  // as many as a hand-written spec has
constexpr uint32_t kComponents = 10;
constexpr uint64_t kStepNs = 1000;  // between two records of a thread: a busy program
constexpr uint32_t kDepth = 4;  // of calls; a chunk holds CM_CHUNK_RECORDS / 2 / kDepth such nests
constexpr size_t kRoundRecords = 1 << 17;  // at least, so that reading the clock does not count

struct Shape {
  uint32_t threads = 1;
  uint32_t operations = kOperations;  // four to a component
  uint32_t depth = kDepth;            // a power of two; above 16 with one thread only
  uint64_t step_ns = kStepNs;
};

inline std::vector<int> component_of(uint32_t operations = kOperations) {
  const uint32_t components = std::max(1u, operations * kComponents / kOperations);
  std::vector<int> out;
  for (uint32_t op = 0; op < operations; ++op) out.push_back(int(op % components));
  return out;
}

// What the kernel would send in one round: chunks of all threads in turn. Each thread makes nests
// of calls; which operations they are varies from nest to nest, and so do their durations.
class Load {
 public:
  explicit Load(Shape shape, size_t records = kRoundRecords) : shape_(shape) {
    per_thread_ = std::max<size_t>(1, records / CM_CHUNK_RECORDS / shape.threads);
    for (size_t i = 0; i < per_thread_; ++i)
      for (uint32_t thread = 0; thread < shape.threads; ++thread) add(thread, i);
  }

  uint32_t threads() const { return shape_.threads; }
  size_t records() const { return chunks_.size() * CM_CHUNK_RECORDS; }
  uint64_t round_ns() const { return per_thread_ * chunk_ns(); }
  const std::vector<cm_chunk>& chunks() const { return chunks_; }

  // The next round: the same calls, later.
  void advance() {
    for (cm_chunk& chunk : chunks_) {
      chunk.first_seq += per_thread_ * CM_CHUNK_RECORDS;
      for (cm_record& record : chunk.records) record.time_ns += round_ns();
    }
  }

 private:
  uint64_t chunk_ns() const { return CM_CHUNK_RECORDS * shape_.step_ns; }

  void add(uint32_t thread, size_t index) {
    cm_chunk& chunk = chunks_.emplace_back();
    chunk.slot = thread;
    chunk.count = CM_CHUNK_RECORDS;
    chunk.first_seq = index * CM_CHUNK_RECORDS;
    chunk.generation = 1;
    uint64_t time = chunk_ns() * (1 + index);
    const uint32_t depth = shape_.depth;
    for (uint32_t i = 0; i < CM_CHUNK_RECORDS; ++i) {
      const auto at = uint32_t((index * CM_CHUNK_RECORDS + i) % (2 * depth));
      const uint32_t level = at < depth ? at : 2 * depth - 1 - at;
      if (at == 0) nest_ = nest_ * 1664525 + 1013904223;  // Numerical Recipes' generator
      const uint32_t op = ((nest_ >> 16) + level * 7) % shape_.operations;
      const uint16_t kind = at < depth ? CM_ENTRY : CM_EXIT;
      chunk.records[i] = {time, 0x7fff'0000'0000ull - level * 64, op, kind, 0};
      time += shape_.step_ns / 2 + (nest_ >> level % 16) % (shape_.step_ns / 2);
    }
  }

  Shape shape_;
  size_t per_thread_;
  uint32_t nest_ = 1;
  std::vector<cm_chunk> chunks_;
};

}  // namespace compmond::bench
