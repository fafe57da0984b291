// SPDX-License-Identifier: Apache-2.0
#include "guard/confine.h"

#include <grp.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/capability.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

namespace compmond::guard {
namespace {

constexpr uid_t kNobody = 65534;
constexpr rlim_t kDescriptors = 4096;  // debug files are handed in; reading opens no others

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;  // maps terabytes of shadow, and reports on stderr
#else
constexpr bool kSanitized = false;
#endif

std::string failed(const char* what, int err) {
  return std::string(what) + ": " + std::strerror(err);
}

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

bool bound(__rlimit_resource_t resource, rlim_t soft, rlim_t hard) {
  rlimit now{};
  if (::getrlimit(resource, &now) != 0) return false;
  const rlimit wanted{std::min(soft, now.rlim_max), std::min(hard, now.rlim_max)};
  return ::setrlimit(resource, &wanted) == 0;
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

std::string drop_capabilities() {
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  const std::unique_ptr<_cap_struct, int (*)(void*)> none(::cap_init(), ::cap_free);
  if (!none || ::cap_set_proc(none.get()) != 0) return failed("capset", errno);
  return {};
}

// Reading what is open, memory, and talking through the channel. Everything else ends the process.
std::string filter_calls(int channel) {
  const std::unique_ptr<void, void (*)(scmp_filter_ctx)> filter(
      ::seccomp_init(SCMP_ACT_KILL_PROCESS), ::seccomp_release);
  if (!filter) return "seccomp: no memory";
  int err = 0;
  const auto allow = [&](int call, std::initializer_list<scmp_arg_cmp> arguments = {}) {
    const int result = ::seccomp_rule_add_array(filter.get(), SCMP_ACT_ALLOW, call,
                                                unsigned(arguments.size()), arguments.begin());
    if (result != 0 && err == 0) err = -result;
  };
  const scmp_datum_t to_parent = scmp_datum_t(channel);
  for (const int call : {SCMP_SYS(read), SCMP_SYS(pread64), SCMP_SYS(lseek), SCMP_SYS(fstat),
                         SCMP_SYS(newfstatat), SCMP_SYS(fcntl), SCMP_SYS(close), SCMP_SYS(brk),
                         SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(futex),
                         SCMP_SYS(clock_gettime), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn),
                         SCMP_SYS(getpid), SCMP_SYS(gettid), SCMP_SYS(exit), SCMP_SYS(exit_group)})
    allow(call);
  for (const int call : {SCMP_SYS(mmap), SCMP_SYS(mprotect)})  // never code
    allow(call, {SCMP_A2_64(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)});
  allow(SCMP_SYS(sendto), {SCMP_A0_64(SCMP_CMP_EQ, to_parent)});
  allow(SCMP_SYS(recvmsg), {SCMP_A0_64(SCMP_CMP_EQ, to_parent)});
  allow(SCMP_SYS(tgkill), {SCMP_A0_64(SCMP_CMP_EQ, scmp_datum_t(::getpid()))});  // abort()
  if (kSanitized) {
    for (const int call : {SCMP_SYS(sigaltstack), SCMP_SYS(sched_yield), SCMP_SYS(readlink),
                           SCMP_SYS(openat), SCMP_SYS(open), SCMP_SYS(getrlimit)})
      allow(call);
    allow(SCMP_SYS(write), {SCMP_A0_64(SCMP_CMP_EQ, STDERR_FILENO)});
  }
  if (err != 0) return failed("seccomp", err);
  if (const int result = ::seccomp_load(filter.get()); result != 0)
    return failed("seccomp", -result);
  return {};
}

}  // namespace

std::string confine_self(const Fd& channel, std::vector<int> files, const ConfinedLimits& limits) {
  close_others(channel.get(), std::move(files));
  reset_signals();
  // A second between SIGXCPU, which says what it is, and SIGKILL.
  if (!bound(RLIMIT_CORE, 0, 0) || !bound(RLIMIT_NOFILE, kDescriptors, kDescriptors) ||
      !bound(RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + 1) ||
      !(kSanitized || bound(RLIMIT_AS, limits.memory_bytes, limits.memory_bytes)))
    return failed("setrlimit", errno);
  if (auto why = become_nobody(); !why.empty()) return why;
  if (auto why = drop_capabilities(); !why.empty()) return why;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);  // after the change of user, which clears it
  if (::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 || ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return failed("prctl", errno);
  return filter_calls(channel.get());
}

}  // namespace compmond::guard
