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

#include "base/fd.h"
#include "base/result.h"
#include "bpf_engine/uprobe_event.h"
#include "guard/channel.h"

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

enum Ended : int { kLives, kMayNot, kCannot };

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

// In the child.
Ended call_filtered() {
  const rlimit no_core{};
  ::setrlimit(RLIMIT_CORE, &no_core);
  const auto place = bpf_engine::own_offset(reinterpret_cast<const void*>(&compmond_filtered_call));
  const Fd probe = bpf_engine::open_uprobe_event("/proc/self/exe", place, true, ::getpid());
  if (!probe.valid()) return is_permission(errno) ? kMayNot : kCannot;
  if (!filter_self()) return kCannot;
  for (int i = 0; i < kCalls; ++i) compmond_filtered_call();
  uint64_t hits = 0;
  const bool read = ::read(probe.get(), &hits, sizeof hits) == sizeof hits;
  return read && hits == kCalls ? kLives : kCannot;
}

Filters try_filters() {
  auto child = guard::start_child("cannot try system call filters",
                                  [](const Fd&) { ::_exit(call_filtered()); });
  if (!child) return Filters::kUnknown;
  std::string nothing;
  (void)guard::receive_some(child->channel(), nothing, 1, kWaitMs);  // it ends
  const int status = child->kill();
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS) return Filters::kApplied;
  const bool passed =
      WIFEXITED(status) && (WEXITSTATUS(status) == kLives || WEXITSTATUS(status) == kMayNot);
  return passed ? Filters::kPassed : Filters::kUnknown;
}

}  // namespace

Filters ask_filters() {
  static const Filters kAnswer = try_filters();
  return kAnswer;
}

}  // namespace compmond::hindrance
