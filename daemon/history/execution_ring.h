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

// The newest executions in full, 40 bytes each, in a ring of chunks. One writer, which never waits;
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

  struct Counts {
    uint64_t visited = 0;
    uint64_t evicted = 0;
  };
  using Visit = void (*)(void* context, std::span<const trace::Execution> executions);
  Counts scan(uint64_t first, uint64_t end, uint64_t from_ns, uint64_t to_ns, Visit visit,
              void* context) const;

 private:
  // start | raw:32 nested:32 | op:20 caller:20 ess:16 reason:3 flags:5 | trace id | eoi:32
  // thread:32. An execution whose times need more bits takes a second slot: raw | nested.
  static constexpr size_t kWords = 5;
  static constexpr size_t kSlots =
      4096;  // 160 KiB a chunk: large beside its header, small beside any budget
  using Word = std::atomic<uint64_t>;
  struct Chunk {
    std::atomic<uint64_t> number{
        0};  // which chunk of the run this is, from 1; 0 while being taken over
    std::atomic<uint64_t> first{0};  // running number of its first execution
    std::atomic<uint64_t> slots{0};  // published
    std::atomic<uint64_t> min_start{UINT64_MAX}, max_end{0};
    std::array<Word, kSlots * kWords> words;
  };
  struct Reader;

  Chunk& start_chunk();

  std::vector<std::unique_ptr<Chunk>> owned_;
  std::unique_ptr<std::atomic<Chunk*>[]> ring_;
  size_t ring_size_;
  std::atomic<size_t> allocated_{0};
  std::atomic<uint64_t> newest_{0};  // number of the newest chunk
  std::atomic<uint64_t> total_{0}, first_{0}, complete_since_{0};
  Chunk* writing_ = nullptr;
};

}  // namespace compmond::history
