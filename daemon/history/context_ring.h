// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "trace/contexts.h"

namespace compmond::history {

// What arguments said of executions, the newest within a memory budget. One writer; readers on any
// thread. What stands in a chunk never changes, so readers and the writer only meet where a chunk
// is begun, for as long as it takes to copy a list of pointers.
class ContextRing {
 public:
  explicit ContextRing(size_t budget_bytes);

  // Writer. Texts are cut at 255 bytes; capture sends 64 at most.
  void add(uint64_t trace_id, uint32_t eoi, const trace::Context& context);

  // Whether there is any; whoever uses none pays nothing.
  bool empty() const { return chunks_begun_.load(std::memory_order_acquire) == 0; }
  // What was said of traces numbered up to this may be gone; 0: nothing is.
  uint64_t lost_up_to() const { return lost_up_to_.load(std::memory_order_acquire); }
  struct Said {
    uint64_t trace_id = 0;
    uint32_t eoi = 0;  // of the execution
    trace::Context context;
  };
  // All of the traces numbered [first, last], in the order in which it was said.
  std::vector<Said> of_traces(uint64_t first, uint64_t last) const;
  size_t memory_bytes() const;

 private:
  // trace id | eoi:32 kind:8 type:8 length:8 | the number, or the text in words.
  static constexpr size_t kHead = 2, kWords = 8192;
  struct Chunk {
    std::atomic<size_t> words{0};  // published
    std::atomic<uint64_t> first_trace{UINT64_MAX}, last_trace{0};
    std::array<uint64_t, kWords> word;
  };
  using Chunks = std::vector<std::shared_ptr<Chunk>>;
  Chunk& with_room(size_t words);
  Chunks chunks() const;

  size_t most_;  // chunks
  mutable std::mutex mutex_;
  Chunks chunks_;  // guarded; the oldest first
  Chunk* writing_ = nullptr;
  std::atomic<size_t> chunks_begun_{0};
  std::atomic<uint64_t> lost_up_to_{0};
};

}  // namespace compmond::history
