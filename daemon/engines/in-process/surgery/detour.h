// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "surgery/process_memory.h"
#include "surgery/stopped_threads.h"

namespace compmond::inprocess {

struct SystemCall {
  uint64_t number = 0;
  std::array<uint64_t, 6> arguments{};
  uint64_t result = 0;  // as the kernel gives it: -errno where it failed
  bool failed() const { return int64_t(result) < 0 && int64_t(result) > -4096; }
};

// Code of the process that nobody runs, for some ms: behind the last function of a segment, where
// the page goes on.
struct Slack {
  uint64_t at = 0, size = 0;
  uint8_t fill = 0;  // each byte of it, as the file has it
};
size_t bytes_of_detour();    // that the slack needs
uint64_t stack_of_detour();  // bytes below the thread's %rsp
// Whether a detour is there: a thread is on it, or whoever sent one there died.
bool holds_detour(const ProcessMemory& memory, Slack slack);

// Has a stopped thread make these system calls, at most kMostCalls, and be as it was, with what lay
// below its stack pointer, which may be another's stack: all others stand still. It stands again
// where it stood. Where this process dies meanwhile the thread goes on by itself, and some
// code stays in the slack, which the next one takes away. Exit::kUnavailable: it took too long, the
// thread ended, or somebody is in the slack, or wrote something else there; what was called then,
// is.
constexpr size_t kMostCalls = 15;
Result<void> make_calls(const StoppedThreads& threads, StoppedThreads::Thread& thread,
                        const ProcessMemory& memory, Slack slack, std::vector<SystemCall>& calls);
// Takes away what one who died left there. False: a thread is on it yet, for about a second, or
// not all stand still, or it cannot be written.
bool take_detour_away(const StoppedThreads& threads, const ProcessMemory& memory, Slack slack);

}  // namespace compmond::inprocess
