// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "surgery/process_memory.h"
#include "surgery/stopped_threads.h"

namespace compmond::inprocess {

// Addresses, none of which is in two.
class Ranges {
 public:
  void add(uint64_t at, uint64_t size);
  bool has(uint64_t address) const;

 private:
  std::vector<std::pair<uint64_t, uint64_t>> ranges_;  // begin to end, by begin
  uint64_t low_ = UINT64_MAX, high_ = 0;               // all are within
};

// Where the memory ends in which this address of a stack is; 0: it is in none.
using EndOfStack = std::function<uint64_t(uint64_t sp)>;
// How many of the threads are at these addresses, or will come back to them when a signal handler
// ends, of any depth. Of each, its stack is read, of which kMostStack bytes at most; none: of all
// together that would be more than `most_bytes`.
constexpr size_t kMostStack = 32 << 20;
std::optional<size_t> threads_in(const StoppedThreads& threads, const ProcessMemory& memory,
                                 const Ranges& ranges, const EndOfStack& end_of_stack,
                                 uint64_t most_bytes = UINT64_MAX);

}  // namespace compmond::inprocess
