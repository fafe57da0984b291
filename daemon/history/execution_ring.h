// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "trace/execution.h"

namespace compmond::history {

// Which executions a chunk or several hold, and when they were.
struct Extent {
  uint64_t first = 0, end = 0;  // running numbers
  uint64_t min_start_ns = UINT64_MAX, min_end_ns = UINT64_MAX, max_end_ns = 0;

  // How many are numbered [from, to).
  uint64_t overlap(uint64_t from, uint64_t to) const {
    const uint64_t low = from > first ? from : first, high = to < end ? to : end;
    return high > low ? high - low : 0;
  }
};

// The newest executions in full, 32 bytes each, in a ring of chunks. One writer, which never waits;
// readers on any thread copy a few executions at a time and drop the copy if their chunk was taken
// for newer ones meanwhile (a sequence lock per chunk), so memory is never given back while it may
// be read and never exceeds the budget.
class ExecutionRing {
 public:
  explicit ExecutionRing(size_t budget_bytes);

  void push(const trace::Execution& execution);

  uint64_t end() const { return total_.load(std::memory_order_acquire); }
  uint64_t first() const { return first_.load(std::memory_order_acquire); }
  uint64_t complete_since_ns() const { return complete_since_.load(std::memory_order_acquire); }
  size_t memory_bytes() const { return allocated_.load(std::memory_order_relaxed) * sizeof(Chunk); }

  using Visit = void (*)(void* context, std::span<const trace::Execution> executions);
  struct Counts {
    uint64_t visited = 0;
    uint64_t evicted = 0;
  };
  Counts scan(uint64_t first, uint64_t end, uint64_t from_ns, uint64_t to_ns, Visit visit,
              void* context) const;

  // Chunks are numbered from 1 in the order of time; those in [oldest, newest] may still be there,
  // and all but the newest are full.
  uint64_t newest_chunk() const { return newest_.load(std::memory_order_acquire); }
  uint64_t oldest_chunk() const {
    const uint64_t newest = newest_chunk();
    return newest >= ring_size_ ? newest - ring_size_ + 1 : 1;
  }
  // A full chunk as a whole; false when it is gone or not full.
  bool describe(uint64_t chunk, Extent& extent) const;
  // Visits the executions of a chunk that are numbered [first, end); where the chunk goes
  // meanwhile, some of them. Returns how many.
  uint64_t scan_chunk(uint64_t chunk, uint64_t first, uint64_t end, Visit visit,
                      void* context) const;

 private:
  // start:39 ess:16 reason:3 flags:6 | raw:32 nested:32 | op:20 caller:20 thread:24 | eoi:32
  // trace:32, start and trace id relative to the chunk's first. An execution with a value that
  // needs more bits, whose time is unsure, or that stayed takes two slots: thread:32 .. ess reason
  // flags | raw | op caller | eoi:32 stays:32 | start | nested | trace id | unsure.
  static constexpr size_t kWords = 4;
  static constexpr size_t kSlots =
      4096;  // 128 KiB a chunk: large beside its header, small beside any budget
  struct Chunk {
    std::atomic<uint64_t> number{
        0};  // which chunk of the run this is, from 1; 0 while being taken over
    std::atomic<uint64_t> first{0};  // running number of its first execution
    std::atomic<uint64_t> base_start{0}, base_trace{0};
    std::atomic<uint64_t> slots{0};                                                // published
    std::atomic<uint64_t> min_start{UINT64_MAX}, min_end{UINT64_MAX}, max_end{0};  // set when full
    std::array<uint64_t, kSlots * kWords> words;  // by put and get only
  };
  struct ChunkReader;

  void start_chunk(const trace::Execution& first);
  void seal();

  std::vector<std::unique_ptr<Chunk>> owned_;
  std::unique_ptr<std::atomic<Chunk*>[]> ring_;
  size_t ring_size_;
  std::atomic<size_t> allocated_{0};
  std::atomic<uint64_t> newest_{0};  // number of the newest chunk
  std::atomic<uint64_t> total_{0}, first_{0}, complete_since_{0};

  // The writer's view of the newest chunk.
  Chunk* writing_ = nullptr;
  uint64_t slots_ = kSlots;
  uint64_t base_start_ = 0, base_trace_ = 0;
  uint64_t min_start_ = UINT64_MAX, min_end_ = UINT64_MAX, max_end_ = 0;
};

}  // namespace compmond::history
