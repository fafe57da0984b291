// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "surgery/process_memory.h"
#include "surgery/stacks.h"
#include "surgery/stopped_threads.h"

namespace compmond::inprocess {

// Bytes of a process' code, and what is to be there instead.
struct CodeChange {
  uint64_t at = 0;
  uint8_t size = 0;
  std::array<uint8_t, 5> before{}, after{};
  uint32_t function = 0;  // whose: all of one are changed, or none
};
// An instruction that is executed at another address once its bytes are written over.
struct MovedPlace {
  uint64_t from = 0, to = 0;
  uint32_t function = 0;
};

// What is wanted is done in one short stop of all threads, in the order given. Of a function that
// has other bytes somewhere than it should (somebody else was there), nothing is changed: these are
// returned. A thread within what is written over goes on at the other address. Exit::kUnavailable:
// a thread would come back into it, from a signal handler, as often as it was tried.
// `most_bytes` of stacks are looked through: with more nothing is changed.
Result<std::vector<uint32_t>> change_code(pid_t pid, const ProcessMemory& memory,
                                          std::span<const CodeChange> changes,
                                          std::span<const MovedPlace> moved,
                                          const EndOfStack& end_of_stack,
                                          uint64_t most_bytes = UINT64_MAX);

}  // namespace compmond::inprocess
