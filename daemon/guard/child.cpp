// SPDX-License-Identifier: Apache-2.0
#include "guard/child.h"

#include <signal.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/process_status.h"

namespace compmond::guard {

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

bool bound(__rlimit_resource_t resource, rlim_t soft, rlim_t hard) {
  rlimit now{};
  if (::getrlimit(resource, &now) != 0) return false;
  const rlimit wanted{std::min(soft, now.rlim_max), std::min(hard, now.rlim_max)};
  return ::setrlimit(resource, &wanted) == 0;
}

std::string give_up_gaining() {
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  const std::unique_ptr<_cap_struct, int (*)(void*)> none(::cap_init(), ::cap_free);
  if (!none || ::cap_set_proc(none.get()) != 0) return failed("capset", errno);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 || ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return failed("prctl", errno);
  return {};
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
