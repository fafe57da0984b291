// SPDX-License-Identifier: Apache-2.0
#include "front/screen_process.h"

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "base/thread.h"
#include "core/process_status.h"

namespace compmond::front {
namespace {

constexpr int kScreenFd = 3;  // the first one after the standard streams

// All that the child needs, made before fork(): afterwards only system calls are safe.
struct Child {
  std::vector<char*> argv, envp;
  int socket, null, error_pipe;
  const ScreenPlan& plan;
};

bool become_user(const ScreenPlan& plan) {
  if (!plan.drop) return true;
  if (::setgroups(plan.groups.size(), plan.groups.data()) != 0 ||
      ::setresgid(plan.gid, plan.gid, plan.gid) != 0 ||
      ::setresuid(plan.uid, plan.uid, plan.uid) != 0)
    return false;
  return ::setresuid(0, 0, 0) != 0 && ::geteuid() == plan.uid;  // no way back
}

[[noreturn]] void become(const Child& child) {
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::setsid();
  int err = EPERM;
  if (become_user(child.plan) && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
      ::dup2(child.null, STDIN_FILENO) >= 0 && ::dup2(STDERR_FILENO, STDOUT_FILENO) >= 0) {
    // Above everything that is to be kept, then down to its place.
    const int pipe = ::fcntl(child.error_pipe, F_DUPFD_CLOEXEC, kScreenFd + 1);
    const int socket = ::fcntl(child.socket, F_DUPFD, kScreenFd + 1);
    if (pipe >= 0 && socket >= 0 && ::dup2(socket, kScreenFd) == kScreenFd) {
      const unsigned keep = unsigned(pipe);
      ::close_range(kScreenFd + 1, keep - 1, 0);
      ::close_range(keep + 1, ~0u, 0);
      ::execve(child.argv[0], child.argv.data(), child.envp.data());
      err = errno;
      (void)!::write(pipe, &err, sizeof err);
      ::_exit(127);
    }
    err = errno;
  }
  (void)!::write(child.error_pipe, &err, sizeof err);
  ::_exit(127);
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

}  // namespace

Result<ScreenProcess::Started> ScreenProcess::start(const ScreenPlan& plan) {
  const std::string what = fmt::format("cannot start '{}'", plan.program);
  int pair[2], ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
    return fail_errno(Exit::kInternal, what, errno);
  Fd ours(pair[0]), theirs(pair[1]);
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail_errno(Exit::kInternal, what, errno);
  Fd read_end(ends[0]), write_end(ends[1]);
  const Fd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  ::fcntl(ours.get(), F_SETFL, ::fcntl(ours.get(), F_GETFL) | O_NONBLOCK);

  const std::vector<std::string> arguments = {plan.program, "--fd", std::to_string(kScreenFd)};
  const Child child{pointers(arguments), pointers(plan.environment),
                    theirs.get(),        null.get(),
                    write_end.get(),     plan};
  const pid_t pid = ::fork();
  if (pid < 0) return fail_to_start(what, errno);
  if (pid == 0) become(child);
  theirs.reset();
  write_end.reset();
  int err = 0;
  if (::read(read_end.get(), &err, sizeof err) == ssize_t(sizeof err)) {
    wait_for(pid);
    return fail_errno(Exit::kUnavailable, what, err, "Start it yourself: compmond-ui --connect.");
  }
  return Started{ScreenProcess(pid), std::move(ours)};
}

std::optional<int> ScreenProcess::ended() { return take_end(pid_); }

}  // namespace compmond::front
