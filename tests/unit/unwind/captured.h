// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sampling/unwinder.h"

namespace compmond::unwind::test {

// This thread's registers and the bytes of its stack, taken as the kernel's side does.
struct Captured {
  cm_sample head{};
  std::vector<std::byte> stack;
  std::vector<cm_return> returns;
  sampling::RawSample raw() const { return {&head, stack, returns}; }
  auto& reg(int number) { return head.registers[number]; }
};

// Where the program stands: in a signal handler of its own, entered at once. `bytes` of the stack
// at most.
[[gnu::noinline]] Captured capture(size_t bytes = CM_STACK_BYTES);
// What `interrupted` (a ucontext_t) was doing, from within a signal handler.
Captured captured_of(const void* interrupted, size_t bytes = CM_STACK_BYTES);

// The code that a process maps, told to `unwinder` as process 1. The numbers of the files by path.
std::map<std::string, sampling::ImageNumber> tell(sampling::Unwinder& unwinder, pid_t pid);
std::map<std::string, sampling::ImageNumber> tell_self(sampling::Unwinder& unwinder);

sampling::Walked walk_one(sampling::Unwinder& unwinder, const Captured& captured);

// Where frames are in this process's memory: what they say plus where their file lies.
std::vector<uint64_t> addresses(const sampling::Walked& walked);
// The name of the function that holds each, as the dynamic linker or the program's own symbols
// (linked with -rdynamic) have it; empty for those without.
std::vector<std::string> names(const sampling::Walked& walked);

}  // namespace compmond::unwind::test
