// SPDX-License-Identifier: Apache-2.0
#include "guard/child.h"

#include <grp.h>
#include <signal.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/process_status.h"

namespace compmond::guard {
namespace {

using Capabilities = std::unique_ptr<_cap_struct, int (*)(void*)>;

}  // namespace

std::string failed(const char* what, int err) {
  return std::string(what) + ": " + std::strerror(err);
}

std::string ending_of(int status) {
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return status_text(status) + (signal == 0 ? " and no result"
                                : signal == SIGSYS
                                    ? ": it made a system call that reading does not need"
                                : signal == SIGXCPU ? ": it used up its CPU time"
                                                    : "");
}

void become_helper(const char* name) {
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  ::prctl(PR_SET_NAME, name, 0, 0, 0);
}

bool bound(__rlimit_resource_t resource, rlim_t soft, rlim_t hard) {
  rlimit now{};
  if (::getrlimit(resource, &now) != 0) return false;
  const rlimit wanted{std::min(soft, now.rlim_max), std::min(hard, now.rlim_max)};
  return ::setrlimit(resource, &wanted) == 0;
}

std::string become_nobody() {
  if (::geteuid() != 0) return {};
  const bool done = ::setgroups(0, nullptr) == 0 && ::setresgid(kNobody, kNobody, kNobody) == 0 &&
                    ::setresuid(kNobody, kNobody, kNobody) == 0;
  // Without nobody (EINVAL), or without the right to change (EPERM), other means have to do.
  return done || errno == EINVAL || errno == EPERM ? "" : failed("setuid", errno);
}

void drop_bounding_set() {
  for (cap_value_t one = 0; ::cap_get_bound(one) >= 0; ++one) (void)::cap_drop_bound(one);
}

int keep_capabilities(std::span<const int> kept) {
  const Capabilities now(::cap_get_proc(), ::cap_free), then(::cap_init(), ::cap_free);
  if (!now || !then) return errno;
  for (const cap_value_t one : kept) {
    cap_flag_value_t have = CAP_CLEAR;
    if (::cap_get_flag(now.get(), one, CAP_PERMITTED, &have) != 0) return errno;
    for (const cap_flag_t set : {CAP_PERMITTED, CAP_EFFECTIVE})
      if (::cap_set_flag(then.get(), set, 1, &one, have) != 0) return errno;
  }
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  return ::cap_set_proc(then.get()) == 0 ? 0 : errno;
}

std::string stay_so() {
  const bool done =
      ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
  return done ? "" : failed("prctl", errno);
}

std::string become_nobody_but(std::span<const int> kept) {
  drop_bounding_set();
  if (::prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0) return failed("prctl", errno);
  if (auto why = become_nobody(); !why.empty()) return why;
  ::prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0);
  if (const int err = keep_capabilities(kept); err != 0) return failed("capset", err);
  return stay_so();
}

std::string give_up_gaining() {
  if (const int err = keep_capabilities({}); err != 0) return failed("capset", err);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  return stay_so();
}

AllowList::AllowList(uint32_t otherwise)
    : filter_(::seccomp_init(otherwise), ::seccomp_release), err_(filter_ ? 0 : ENOMEM) {}

void AllowList::add(uint32_t action, int call, std::initializer_list<scmp_arg_cmp> arguments) {
  if (err_ != 0) return;
  err_ = -::seccomp_rule_add_array(filter_.get(), action, call, unsigned(arguments.size()),
                                   arguments.begin());
}

void AllowList::allow_sanitizers() {
  if (!kSanitized) return;
  // They look at memory through a pipe, and report on stderr.
  for (const int call : {SCMP_SYS(sigaltstack), SCMP_SYS(sched_yield), SCMP_SYS(getrlimit),
                         SCMP_SYS(pipe), SCMP_SYS(pipe2), SCMP_SYS(write)})
    allow(call);
}

std::string AllowList::load() {
  if (err_ == 0) err_ = -::seccomp_load(filter_.get());
  return err_ == 0 ? "" : failed("seccomp", err_);
}

}  // namespace compmond::guard
