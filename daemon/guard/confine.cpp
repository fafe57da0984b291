// SPDX-License-Identifier: Apache-2.0
#include "guard/confine.h"

#include <grp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "guard/child.h"

namespace compmond::guard {
namespace {

constexpr uid_t kNobody = 65534;
constexpr rlim_t kDescriptors = 4096;  // debug files are handed in; reading opens no others

void close_others(int channel, std::vector<int> files) {
  files.push_back(channel);
  if (kSanitized) files.push_back(STDERR_FILENO);
  std::sort(files.begin(), files.end());
  unsigned next = 0;
  for (const int keep : files) {
    if (unsigned(keep) > next) ::close_range(next, unsigned(keep) - 1, 0);
    next = unsigned(keep) + 1;
  }
  ::close_range(next, ~0u, 0);
}

// What the parent does at a signal is not for the child, and needs calls that it may not make.
void reset_signals() {
  for (int signal = 1; signal < NSIG; ++signal)
    if (!(kSanitized && (signal == SIGSEGV || signal == SIGBUS))) ::signal(signal, SIG_DFL);
}

// Another user than root, where the user namespace has one.
std::string become_nobody() {
  if (::geteuid() != 0) return {};
  const bool done = ::setgroups(0, nullptr) == 0 && ::setresgid(kNobody, kNobody, kNobody) == 0 &&
                    ::setresuid(kNobody, kNobody, kNobody) == 0;
  // Without nobody (EINVAL), or without the right to change (EPERM): no file is opened by name
  // anyway, and no capability stays.
  return done || errno == EINVAL || errno == EPERM ? "" : failed("setuid", errno);
}

// Reading what is open, memory, and talking through the channel. Everything else ends the process.
std::string filter_calls(int channel) {
  AllowList calls(SCMP_ACT_KILL_PROCESS);
  const scmp_datum_t to_parent = scmp_datum_t(channel);
  for (const int call : {SCMP_SYS(read), SCMP_SYS(pread64), SCMP_SYS(lseek), SCMP_SYS(fstat),
                         SCMP_SYS(newfstatat), SCMP_SYS(fcntl), SCMP_SYS(close), SCMP_SYS(brk),
                         SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(futex),
                         SCMP_SYS(clock_gettime), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn),
                         SCMP_SYS(getpid), SCMP_SYS(gettid), SCMP_SYS(exit), SCMP_SYS(exit_group)})
    calls.allow(call);
  for (const int call : {SCMP_SYS(mmap), SCMP_SYS(mprotect)})  // never code
    calls.allow(call, {SCMP_A2_64(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)});
  calls.allow(SCMP_SYS(sendto), {SCMP_A0_64(SCMP_CMP_EQ, to_parent)});
  calls.allow(SCMP_SYS(recvmsg), {SCMP_A0_64(SCMP_CMP_EQ, to_parent)});
  calls.allow(SCMP_SYS(tgkill), {SCMP_A0_64(SCMP_CMP_EQ, scmp_datum_t(::getpid()))});  // abort()
  // libdw wants to know the name of what it reads. It gets none, and no file.
  for (const int call : {SCMP_SYS(open), SCMP_SYS(openat), SCMP_SYS(readlink), SCMP_SYS(readlinkat),
                         SCMP_SYS(stat), SCMP_SYS(lstat), SCMP_SYS(access)})
    calls.refuse(call, EACCES);
  calls.allow_sanitizers();
  return calls.load();
}

}  // namespace

std::string confine_self(const Fd& channel, std::vector<int> files, const ConfinedLimits& limits) {
  close_others(channel.get(), std::move(files));
  reset_signals();
  // A second between SIGXCPU, which says what it is, and SIGKILL.
  const bool endless = limits.cpu_seconds == ConfinedLimits::kEndless;
  if (!bound(RLIMIT_CORE, 0, 0) || !bound(RLIMIT_NOFILE, kDescriptors, kDescriptors) ||
      !(endless || bound(RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + 1)) ||
      !(kSanitized || (bound(RLIMIT_AS, limits.memory_bytes, limits.memory_bytes) &&
                       bound(RLIMIT_DATA, limits.heap_bytes, limits.heap_bytes))))
    return failed("setrlimit", errno);
  if (auto why = become_nobody(); !why.empty()) return why;
  if (auto why = give_up_gaining(); !why.empty()) return why;
  return filter_calls(channel.get());
}

std::string confine_maker(const Fd& channel) {
  close_others(channel.get(), {});
  if (!bound(RLIMIT_CORE, 0, 0)) return failed("setrlimit", errno);
  if (auto why = become_nobody(); !why.empty()) return why;
  return give_up_gaining();
}

}  // namespace compmond::guard
