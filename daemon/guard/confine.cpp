// SPDX-License-Identifier: Apache-2.0
#include "guard/confine.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/capability.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "guard/child.h"
#include "guard/landlock.h"

namespace compmond::guard {
namespace {

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

// What any process does, whatever it is for: memory and its own end, never code.
void allow_living(AllowList& calls) {
  for (const int call :
       {SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(futex),
        SCMP_SYS(clock_gettime), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn), SCMP_SYS(getpid),
        SCMP_SYS(gettid), SCMP_SYS(close), SCMP_SYS(restart_syscall), SCMP_SYS(exit),
        SCMP_SYS(exit_group)})
    calls.allow(call);
  for (const int call : {SCMP_SYS(mmap), SCMP_SYS(mprotect)})
    calls.allow(call, {SCMP_A2_64(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)});
}

// Reading what is open.
void allow_reading(AllowList& calls) {
  for (const int call : {SCMP_SYS(read), SCMP_SYS(pread64), SCMP_SYS(lseek), SCMP_SYS(fstat),
                         SCMP_SYS(newfstatat), SCMP_SYS(fcntl)})
    calls.allow(call);
}

void allow_talking(AllowList& calls, const Fd& channel) {
  const scmp_datum_t to_parent = scmp_datum_t(channel.get());
  for (const int call : {SCMP_SYS(sendto), SCMP_SYS(recvmsg), SCMP_SYS(recvfrom)})
    calls.allow(call, {SCMP_A0_64(SCMP_CMP_EQ, to_parent)});
  calls.allow(SCMP_SYS(poll));
}

// Everything else ends the process.
std::string only_reads(const Fd& channel) {
  AllowList calls(SCMP_ACT_KILL_PROCESS);
  allow_living(calls);
  allow_reading(calls);
  allow_talking(calls, channel);
  calls.allow(SCMP_SYS(tgkill), {SCMP_A0_64(SCMP_CMP_EQ, scmp_datum_t(::getpid()))});  // abort()
  // libdw wants to know the name of what it reads. It gets none, and no file.
  for (const int call : {SCMP_SYS(open), SCMP_SYS(openat), SCMP_SYS(readlink), SCMP_SYS(readlinkat),
                         SCMP_SYS(stat), SCMP_SYS(lstat), SCMP_SYS(access)})
    calls.refuse(call, EACCES);
  calls.allow_sanitizers();
  return calls.load();
}

// Beside its own work, what its children do until they are confined, and then.
std::string only_makes() {
  AllowList calls(SCMP_ACT_ERRNO(EPERM));
  allow_living(calls);
  allow_reading(calls);
  for (const int call : {SCMP_SYS(fork),           SCMP_SYS(clone),       SCMP_SYS(wait4),
                         SCMP_SYS(kill),           SCMP_SYS(socketpair),  SCMP_SYS(sendto),
                         SCMP_SYS(sendmsg),        SCMP_SYS(recvmsg),     SCMP_SYS(recvfrom),
                         SCMP_SYS(poll),           SCMP_SYS(close_range), SCMP_SYS(rt_sigaction),
                         SCMP_SYS(prlimit64),      SCMP_SYS(setrlimit),   SCMP_SYS(getrlimit),
                         SCMP_SYS(geteuid),        SCMP_SYS(capget),      SCMP_SYS(capset),
                         SCMP_SYS(prctl),          SCMP_SYS(seccomp),     SCMP_SYS(tgkill),
                         SCMP_SYS(set_robust_list)})
    calls.allow(call);
  calls.allow_sanitizers();
  return calls.load();
}

// Files that are there already are looked at, never opened.
std::string only_writes(const Fd& channel, int folder) {
  const scmp_datum_t here = scmp_datum_t(folder);
  AllowList calls(SCMP_ACT_ERRNO(EPERM));
  allow_living(calls);
  allow_talking(calls, channel);
  for (const int call :
       {SCMP_SYS(fstat), SCMP_SYS(newfstatat), SCMP_SYS(readlinkat), SCMP_SYS(geteuid),
        SCMP_SYS(write), SCMP_SYS(ftruncate), SCMP_SYS(lseek), SCMP_SYS(fsync), SCMP_SYS(fchown)})
    calls.allow(call);
  constexpr scmp_datum_t kFresh = O_CREAT | O_EXCL;
  calls.allow(SCMP_SYS(openat),
              {SCMP_A0_64(SCMP_CMP_EQ, here), SCMP_A2_64(SCMP_CMP_MASKED_EQ, kFresh, kFresh)});
  calls.allow(SCMP_SYS(renameat), {SCMP_A0_64(SCMP_CMP_EQ, here), SCMP_A2_64(SCMP_CMP_EQ, here)});
  calls.allow(SCMP_SYS(unlinkat), {SCMP_A0_64(SCMP_CMP_EQ, here), SCMP_A2_64(SCMP_CMP_EQ, 0)});
  calls.allow_sanitizers();
  return calls.load();
}

std::string only_removes(const Fd& channel) {
  AllowList calls(SCMP_ACT_ERRNO(EPERM));
  allow_living(calls);
  allow_talking(calls, channel);
  calls.allow(SCMP_SYS(newfstatat));
  calls.allow(SCMP_SYS(unlinkat), {SCMP_A2_64(SCMP_CMP_EQ, 0)});
  calls.allow_sanitizers();
  return calls.load();
}

std::string only_opens(const Fd& channel) {
  AllowList calls(SCMP_ACT_ERRNO(EPERM));
  allow_living(calls);
  allow_reading(calls);
  allow_talking(calls, channel);
  calls.allow(SCMP_SYS(sendmsg), {SCMP_A0_64(SCMP_CMP_EQ, scmp_datum_t(channel.get()))});
  calls.allow(SCMP_SYS(openat),
              {SCMP_A2_64(SCMP_CMP_MASKED_EQ, O_ACCMODE | O_CREAT | O_TRUNC, O_RDONLY)});
  for (const int call : {SCMP_SYS(pidfd_open), SCMP_SYS(readlink), SCMP_SYS(readlinkat),
                         SCMP_SYS(stat), SCMP_SYS(lstat)})
    calls.allow(call);
  calls.allow_sanitizers();
  return calls.load();
}

std::string only_looks(const Fd& channel) {
  AllowList calls(SCMP_ACT_ERRNO(EPERM));
  allow_living(calls);
  allow_reading(calls);
  allow_talking(calls, channel);
  calls.allow(SCMP_SYS(openat),
              {SCMP_A2_64(SCMP_CMP_MASKED_EQ, O_ACCMODE | O_CREAT | O_TRUNC, O_RDONLY)});
  for (const int call : {SCMP_SYS(getdents64), SCMP_SYS(process_vm_readv), SCMP_SYS(getppid)})
    calls.allow(call);
  calls.allow_sanitizers();
  return calls.load();
}

std::string only_probes(const Fd& channel, bool by_events) {
  constexpr scmp_datum_t kLinkCreate = 28;  // BPF_LINK_CREATE
  AllowList calls(SCMP_ACT_ERRNO(EPERM));
  allow_living(calls);
  allow_talking(calls, channel);
  calls.allow(SCMP_SYS(bpf), {SCMP_A0_64(SCMP_CMP_EQ, kLinkCreate)});
  calls.allow(SCMP_SYS(fcntl));
  if (by_events) calls.allow(SCMP_SYS(perf_event_open));
  calls.allow_sanitizers();
  return calls.load();
}

// No capability but `kept`, and none to be gained; changes to files only below `folders`.
std::string give_up_all_but(std::span<const int> kept, const std::vector<int>& folders) {
  if (!bound(RLIMIT_CORE, 0, 0)) return failed("setrlimit", errno);
  drop_bounding_set();
  if (const int err = keep_capabilities(kept); err != 0) return failed("capset", err);
  if (auto why = stay_so(); !why.empty()) return why;
  (void)renounce_changes(folders);  // the filter holds without it
  return {};
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
  return only_reads(channel);
}

std::string confine_maker(const Fd& channel) {
  close_others(channel.get(), {});
  if (!bound(RLIMIT_CORE, 0, 0)) return failed("setrlimit", errno);
  if (auto why = become_nobody(); !why.empty()) return why;
  if (auto why = give_up_gaining(); !why.empty()) return why;
  (void)renounce_changes();
  return only_makes();
}

std::string confine_writer(const Fd& channel, int folder) {
  close_others(channel.get(), {folder});
  constexpr int kFiles[] = {CAP_DAC_OVERRIDE, CAP_CHOWN, CAP_FOWNER};
  if (auto why = give_up_all_but(kFiles, {folder}); !why.empty()) return why;
  return only_writes(channel, folder);
}

std::string confine_remover(const Fd& channel, const std::vector<int>& folders) {
  close_others(channel.get(), folders);
  if (auto why = give_up_all_but({}, folders); !why.empty()) return why;
  return only_removes(channel);
}

std::string confine_opener(const Fd& channel) {
  close_others(channel.get(), {});
  if (auto why = give_up_all_but({}, {}); !why.empty()) return why;
  return only_opens(channel);
}

// Not with Landlock, which lets nobody look into processes that did not renounce the same.
std::string confine_looker(const Fd& channel) {
  constexpr int kLooking[] = {CAP_SYS_PTRACE};
  close_others(channel.get(), {});
  if (!bound(RLIMIT_CORE, 0, 0)) return failed("setrlimit", errno);
  if (auto why = become_nobody_but(kLooking); !why.empty()) return why;
  return only_looks(channel);
}

std::string confine_mender(const Fd& channel, std::vector<int> files, bool by_events) {
  std::vector<int> probing{CAP_BPF, CAP_PERFMON};
  if (by_events) probing.push_back(CAP_SYS_ADMIN);
  close_others(channel.get(), std::move(files));
  if (!bound(RLIMIT_CORE, 0, 0)) return failed("setrlimit", errno);
  if (auto why = become_nobody_but(probing); !why.empty()) return why;
  return only_probes(channel, by_events);
}

std::string confine_surgeon(const Fd& channel) {
  constexpr int kTracing[] = {CAP_SYS_PTRACE, CAP_SYS_ADMIN, CAP_DAC_OVERRIDE};
  close_others(channel.get(), {});
  reset_signals();
  if (!bound(RLIMIT_CORE, 0, 0)) return failed("setrlimit", errno);
  drop_bounding_set();
  if (const int err = keep_capabilities(kTracing); err != 0) return failed("capset", err);
  return stay_so();
}

}  // namespace compmond::guard
