// SPDX-License-Identifier: Apache-2.0
#include "patient/stacks_of.h"

#include <fmt/format.h>
#include <linux/types.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "target/proc_folder.h"

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
constexpr uint64_t kMostBeyond = 8 << 20;  // bytes from a stack pointer on, in other memory than it
constexpr uint64_t kCriticalSection = 8;   // offset of rseq_cs in struct rseq

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

// It waits with another signal mask than its own: where a signal ended that, its handler is to run
// before the mask is the own one again, as a detour makes it.
bool waits_with_mask(const user_regs_struct& now) {
  switch (int64_t(now.orig_rax)) {
    case SYS_rt_sigsuspend:
      return true;
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2:
      return now.r8 != 0;
    case SYS_ppoll:
      return now.r10 != 0;
    case SYS_pselect6:
    case SYS_io_pgetevents:
      return now.r9 != 0;
    default:
      return false;
  }
}

}  // namespace

bool share_memory(pid_t one, pid_t other) {
  constexpr int kVm = 1;  // KCMP_VM of <linux/kcmp.h>
  return ::syscall(SYS_kcmp, one, other, kVm, 0, 0) == 0;
}

pid_t shares_memory_with(pid_t pid) {
  pid_t out = 0;
  target::for_each_id("/proc", [&](pid_t other) {
    if (other != pid && share_memory(pid, other)) out = other;
    return out == 0;
  });
  return out;
}

pid_t relative_in_memory_of(pid_t pid) {
  pid_t out = 0;
  const auto look = [&](pid_t parent) {
    target::for_each_id(fmt::format("/proc/{}/task", parent), [&](pid_t tid) {
      std::ifstream children(fmt::format("/proc/{}/task/{}/children", parent, tid));
      for (pid_t child = 0; out == 0 && children >> child;)
        if (child != pid && share_memory(pid, child)) out = child;
      return out == 0;
    });
  };
  look(pid);
  const auto stat = target::read_stat(fmt::format("/proc/{}", pid));
  if (out == 0 && stat && stat->parent > 1)
    look(stat->parent);  // not all that is left to the first
  return out;
}

uint64_t Stacks::operator()(uint64_t sp) const {
  uint64_t out = space_->end_of_stack(sp, kMostBeyond);
  if (out == 0) {
    if (const auto now = AddressSpace::of(pid_)) *space_ = *now;
    out = space_->end_of_stack(sp, kMostBeyond);
  }
  return out;
}

StoppedThreads::Thread* fit_for_detour(StoppedThreads& threads, const AddressSpace& space,
                                       const ProcessMemory& memory) {
  StoppedThreads::Thread* out = nullptr;
  for (StoppedThreads::Thread& one : threads.all()) {
    if (space.room_on_stack(one.registers.rsp) < stack_of_detour() || is_dispatched(one.tid) ||
        (one.in_call() && !threads.begins_again(one) && waits_with_mask(one.registers)))
      continue;
    if (one.in_call()) return &one;
    if (!out && !in_critical_section(one.tid, memory)) out = &one;
  }
  return out;
}

}  // namespace compmond::inprocess
