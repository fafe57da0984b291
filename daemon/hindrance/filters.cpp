// SPDX-License-Identifier: Apache-2.0
#include "hindrance/filters.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>

#include "base/fd.h"
#include "bpf_engine/uprobe_event.h"

// A function that begins with a 5-byte nop, which newer kernels make a system call.
extern "C" void compmond_filtered_call();
asm(R"(
  .text
  .p2align 4
  .globl compmond_filtered_call
  .type compmond_filtered_call, @function
compmond_filtered_call:
  .byte 0x0f, 0x1f, 0x44, 0x00, 0x00
  ret
  .size compmond_filtered_call, . - compmond_filtered_call
)");

namespace compmond::hindrance {
namespace {

constexpr uint32_t kUretprobe = 335, kUprobe = 336;  // newer than the headers
constexpr int kCalls = 4;  // the first has the kernel make the nop a system call
constexpr int kWaitMs = 2000;

enum Told : char { kLives, kMayNot, kCannot };

// Everything passes but system calls of probes.
bool filter_self() {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kUretprobe, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kUprobe, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
  };
  sock_fprog whole{std::size(program), program};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &whole, 0, 0) == 0;
}

// What is told is told before the probe goes, which takes long. Nothing is of one that is killed.
void tell(const Fd& channel, Told what) {
  const char byte = what;
  guard::send_bytes(channel, {&byte, 1});
}

// In the child.
void call_filtered(const Fd& channel) {
  const rlimit no_core{};
  ::setrlimit(RLIMIT_CORE, &no_core);
  const auto place = bpf_engine::own_offset(reinterpret_cast<const void*>(&compmond_filtered_call));
  const Fd probe = bpf_engine::open_uprobe_event("/proc/self/exe", place, true, ::getpid());
  if (!probe.valid()) return tell(channel, is_permission(errno) ? kMayNot : kCannot);
  if (!filter_self()) return tell(channel, kCannot);
  for (int i = 0; i < kCalls; ++i) compmond_filtered_call();
  uint64_t hits = 0;
  const bool read = ::read(probe.get(), &hits, sizeof hits) == sizeof hits;
  tell(channel, read && hits == kCalls ? kLives : kCannot);
}

Filters read_answer(guard::Child& child) {
  std::string told;
  if (guard::receive_some(child.channel(), told, 1, kWaitMs) && !told.empty())
    return told[0] == kCannot ? Filters::kUnknown : Filters::kPassed;
  const int status = child.kill();
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS ? Filters::kApplied : Filters::kUnknown;
}

}  // namespace

FilterTrial::FilterTrial() {
  auto child = guard::start_child("cannot try system call filters", [](const Fd& channel) {
    call_filtered(channel);
    ::_exit(0);
  });
  if (child) child_.emplace(std::move(*child));
}

Filters FilterTrial::answer() {
  if (!answer_) answer_ = child_ ? read_answer(*child_) : Filters::kUnknown;
  return *answer_;
}

}  // namespace compmond::hindrance
