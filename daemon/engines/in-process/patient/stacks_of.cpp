// SPDX-License-Identifier: Apache-2.0
#include "patient/stacks_of.h"

#include <linux/types.h>
#include <sys/ptrace.h>

#include <cstring>

namespace compmond::inprocess {
namespace {

// As <linux/ptrace.h> has it, from Linux 5.13 on.
constexpr int kGetRseq = 0x420f;
struct RseqConfiguration {
  __u64 pointer;
  __u32 size, signature, flags, pad;
};
constexpr int kGetDispatch = 0x4211;  // from 6.4 on
struct DispatchConfiguration {
  __u64 mode, selector, offset, len;
};
constexpr uint64_t kCriticalSection = 8;  // offset of rseq_cs in struct rseq

// Or was, and nobody looked since.
bool in_critical_section(pid_t tid, const ProcessMemory& memory) {
  RseqConfiguration rseq{};
  if (::ptrace(__ptrace_request(kGetRseq), tid, sizeof rseq, &rseq) <= 0 || rseq.pointer == 0)
    return false;
  uint64_t section = 0;
  return !memory.read(rseq.pointer + kCriticalSection,
                      {reinterpret_cast<uint8_t*>(&section), sizeof section}) ||
         section != 0;
}

// A system call that it makes becomes a signal, which would end it as long as that is blocked.
bool is_dispatched(pid_t tid) {
  DispatchConfiguration dispatch{};
  return ::ptrace(__ptrace_request(kGetDispatch), tid, sizeof dispatch, &dispatch) == 0 &&
         dispatch.mode != 0;
}

}  // namespace

uint64_t Stacks::operator()(uint64_t sp) const {
  auto around = space_->around(sp);
  if (!around) {
    if (const auto now = AddressSpace::of(pid_)) *space_ = *now;
    around = space_->around(sp);
  }
  return around ? around->second : 0;
}

StoppedThreads::Thread* fit_for_detour(StoppedThreads& threads, const AddressSpace& space,
                                       const ProcessMemory& memory) {
  StoppedThreads::Thread* out = nullptr;
  for (StoppedThreads::Thread& one : threads.all()) {
    if (space.room_on_stack(one.registers.rsp) < stack_of_detour() || is_dispatched(one.tid))
      continue;
    if (one.in_call()) return &one;
    if (!out && !in_critical_section(one.tid, memory)) out = &one;
  }
  return out;
}

}  // namespace compmond::inprocess
