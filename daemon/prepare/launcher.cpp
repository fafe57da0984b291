// SPDX-License-Identifier: Apache-2.0
#include "prepare/launcher.h"

#include <elf.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/fd.h"
#include "base/thread.h"
#include "core/process_status.h"
#include "guard/rights.h"
#include "guard/stop_watch.h"

namespace compmond::prepare {
namespace {

// Where the child is stopped once, to see whether stops by register work here: some virtual
// machines take the register and never stop.
[[gnu::noipa]] void stop_here() { asm volatile("nop"); }

bool is_elf(const char* path) {
  const Fd file(::open(path, O_RDONLY | O_CLOEXEC));
  char magic[SELFMAG] = {};
  return ::read(file.get(), magic, SELFMAG) == SELFMAG && std::memcmp(magic, ELFMAG, SELFMAG) == 0;
}

// Runs in the child: waits until it is traced and becomes the program, or reports errno through the
// pipe.
[[noreturn]] void become(const std::vector<std::string>& command, const sigset_t& blocked, int go,
                         int error_pipe) {
  char byte = 0;
  if (::read(go, &byte, 1) != 1) ::_exit(127);
  struct sigaction trap {};  // a stop makes it the default where it is ignored
  ::sigaction(SIGTRAP, nullptr, &trap);
  stop_here();
  ::sigaction(SIGTRAP, &trap, nullptr);
  ::sigprocmask(SIG_SETMASK, &blocked, nullptr);
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  // What is no program for this kernel goes to a shell, as is usual, if it may be a script.
  const bool is_path = command.front().find('/') != std::string::npos;
  if (is_path) ::execv(argv[0], argv.data());
  int err = errno;
  if (!is_path || (err == ENOEXEC && !is_elf(argv[0]))) {
    ::execvp(argv[0], argv.data());
    err = errno;
  }
  (void)!::write(error_pipe, &err, sizeof err);
  ::_exit(127);
}

int event_of(int status) { return status >> 16; }

bool is_group_stop(int status) {
  return event_of(status) == PTRACE_EVENT_STOP && WSTOPSIG(status) != SIGTRAP;
}

// From a stop that is not for us to where it would be without us: a signal reaches the program, one
// that was stopped stays so until it is continued.
Result<void> go_on(pid_t pid, int status, const char* what) {
  const bool signal = event_of(status) == 0;
  const int done = is_group_stop(status)
                       ? int(::ptrace(PTRACE_LISTEN, pid, nullptr, nullptr))
                       : int(::ptrace(PTRACE_CONT, pid, nullptr, signal ? WSTOPSIG(status) : 0));
  if (done != 0 && errno != ESRCH) return fail_errno(Exit::kInternal, what, errno);
  return {};  // one that was killed meanwhile is told by the next wait
}

bool is_trap(int status) { return WSTOPSIG(status) == SIGTRAP && event_of(status) == 0; }

Result<int> next_stop(pid_t pid, const char* what) {
  int status = 0;
  while (::waitpid(pid, &status, __WALL) != pid)
    if (errno != EINTR) return fail_errno(Exit::kInternal, what, errno);
  return status;
}

// Blocks SIGCHLD, so that it can be waited for.
class ChildSignal {
 public:
  ChildSignal() {
    ::sigemptyset(&set_);
    ::sigaddset(&set_, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &set_, &before_);
  }
  ~ChildSignal() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }
  ChildSignal(const ChildSignal&) = delete;
  ChildSignal& operator=(const ChildSignal&) = delete;
  void wait() const {
    const timespec most{0, 100'000'000};
    ::sigtimedwait(&set_, nullptr, &most);
  }

 private:
  sigset_t set_, before_;
};

// As next_stop, which may never come, as where a constructor waits: an error where we are to end.
Result<int> next_stop_unless_we_end(pid_t pid, const char* what) {
  const ChildSignal signal;
  for (;;) {
    int status = 0;
    const pid_t found = ::waitpid(pid, &status, __WALL | WNOHANG);
    if (found == pid) return status;
    if (found < 0 && errno != EINTR) return fail_errno(Exit::kInternal, what, errno);
    if (auto wish = guard::StopWatch::wish()) return Unexpected(std::move(*wish));
    signal.wait();
  }
}

Result<void> may_not_be_held(const char* what, int err) {
  return fail(Exit::kNoPermission, what,
              fmt::format("it cannot be held at its start, as ptrace is refused here ({})",
                          ::strerror(err)),
              "Something traces compmond and what it starts (strace -f, a debugger), or this "
              "container or kernel.yama.ptrace_scope forbids it. Start the program by itself, "
              "then use --pid.");
}

// The child, which waits in become(), is traced from here on and will stop in stop_here().
Result<void> trace(pid_t pid, EntryStop::Way way, const char* what) {
  if (::ptrace(PTRACE_SEIZE, pid, nullptr, PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL) != 0)
    return may_not_be_held(what, errno);
  if (way == EntryStop::Way::kInstruction) return {};
  if (::ptrace(PTRACE_INTERRUPT, pid, nullptr, nullptr) != 0)
    return fail_errno(Exit::kInternal, what, errno);
  auto status = next_stop(pid, what);
  if (!status) return Unexpected(status.error());
  if (!WIFSTOPPED(*status)) return fail(Exit::kInternal, what, "its process ended");
  stop_by_register(pid, uint64_t(&stop_here));
  return go_on(pid, *status, what);
}

// From become() to what it has become, still at its exec. Which way works; none: it ended instead.
Result<std::optional<EntryStop::Way>> run_to_exec(pid_t pid, const char* what) {
  auto way = EntryStop::Way::kInstruction;
  for (;;) {
    auto status = next_stop(pid, what);
    if (!status) return Unexpected(status.error());
    if (!WIFSTOPPED(*status)) return std::optional<EntryStop::Way>();
    if (event_of(*status) == PTRACE_EVENT_EXEC) return std::optional(way);
    int passed = *status;
    if (is_trap(*status) && stopped_by_register(pid, uint64_t(&stop_here))) {
      stop_by_register(pid, 0);
      way = EntryStop::Way::kRegister;
      passed = SIGTRAP << 8 | PTRACE_EVENT_STOP << 16 | 0x7f;  // nothing for the child
    }
    if (auto done = go_on(pid, passed, what); !done) return Unexpected(done.error());
  }
}

// A program that gets other rights by its file gets none while somebody traces it who may not.
bool would_lack_rights(pid_t pid) {
  if (guard::holds(CAP_SYS_PTRACE)) return false;
  const std::string path = fmt::format("/proc/{}/exe", pid);
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0) return false;
  return ((file.st_mode & S_ISUID) && file.st_uid != ::geteuid()) ||
         ((file.st_mode & S_ISGID) && (file.st_mode & S_IXGRP) && file.st_gid != ::getegid()) ||
         ::getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
}

Result<void> at_exec(pid_t pid, EntryStop& stop, const char* what) {
  if (would_lack_rights(pid))
    return fail(Exit::kNoPermission, what,
                "it gets another user's rights from its file (setuid), and would run without them "
                "while it is held at its start",
                "Run compmond as root, or start the program by itself, then use --pid.");
  return stop.arm();
}

}  // namespace

// From the stop at exec to the program's entry point: the loader has mapped the libraries by then.
Result<void> Launcher::hold(EntryStop stop, const char* what) {
  if (auto armed = at_exec(pid_, stop, what); !armed) return armed;
  int passed = PTRACE_EVENT_EXEC << 16;
  for (;;) {
    if (auto done = go_on(pid_, passed, what); !done) return done;
    auto status = next_stop_unless_we_end(pid_, what);
    if (!status) return Unexpected(status.error());
    if (!WIFSTOPPED(*status)) {
      early_end_ = *status;
      pid_ = 0;
      return {};
    }
    const int event = event_of(*status);
    if (event == PTRACE_EVENT_EXEC) {
      if (auto armed = at_exec(pid_, stop, what); !armed) return armed;
    } else if (event != 0 && event != PTRACE_EVENT_STOP) {
      unsigned long child = 0;
      if (::ptrace(PTRACE_GETEVENTMSG, pid_, nullptr, &child) == 0) stop.spare(pid_t(child));
    } else if (is_trap(*status)) {
      auto arrived = stop.arrived();
      if (!arrived) return Unexpected(arrived.error());
      if (*arrived) return {};
    }
    passed = *status;
  }
}

Result<Launcher> Launcher::start(const std::vector<std::string>& command, EntryStop::Way way,
                                 const sigset_t& blocked) {
  const std::string what = fmt::format("cannot start '{}'", command.front());
  int errors[2], goes[2];
  if (::pipe2(errors, O_CLOEXEC) != 0) return fail_errno(Exit::kInternal, what, errno);
  Fd read_end(errors[0]), write_end(errors[1]);
  if (::pipe2(goes, O_CLOEXEC) != 0) return fail_errno(Exit::kInternal, what, errno);
  Fd wait_end(goes[0]), go_end(goes[1]);
  const struct sigaction& before = ends_of_children_before();  // as the command finds it
  const pid_t pid = ::fork();
  if (pid < 0) return fail_to_start(what, errno);
  if (pid == 0) {
    ::sigaction(SIGCHLD, &before, nullptr);
    go_end.reset();
    become(command, blocked, wait_end.get(), write_end.get());
  }
  Launcher launcher(pid);
  write_end.reset();
  wait_end.reset();
  if (auto traced = trace(pid, way, what.c_str()); !traced) return Unexpected(traced.error());
  (void)!::write(go_end.get(), "", 1);
  auto works = run_to_exec(pid, what.c_str());
  if (!works) return Unexpected(works.error());
  if (!*works) {
    launcher.pid_ = 0;
    int err = 0;
    if (::read(read_end.get(), &err, sizeof err) != ssize_t(sizeof err))
      return fail(Exit::kInternal, what, "its process ended");
    if (err == ENOEXEC)
      return fail(Exit::kData, what,
                  "the kernel does not execute it: it is no program of 64 bits for this machine",
                  "Only programs of 64 bits (x86-64) can be observed.");
    return fail_errno(is_permission(err) ? Exit::kNoPermission : Exit::kNoInput, what, err,
                      "Check the path and that it may be executed.");
  }
  if (auto held = launcher.hold({pid, **works}, what.c_str()); !held)
    return Unexpected(held.error());
  return launcher;
}

Launcher::~Launcher() {
  if (pid_ == 0 || !held_) return;
  // Who has given up its rights may signal no other user's process, but lets one go with a signal.
  if (::kill(pid_, SIGKILL) != 0) ::ptrace(PTRACE_DETACH, pid_, nullptr, SIGKILL);
  wait_for(pid_);
}

Result<void> Launcher::let_others_trace() {
  constexpr const char* kWhat = "cannot hold the program for others";
  int status = 0;
  if (::kill(pid_, SIGSTOP) != 0 || ::ptrace(PTRACE_DETACH, pid_, nullptr, nullptr) != 0 ||
      ::waitpid(pid_, &status, WUNTRACED) != pid_)
    return fail_errno(Exit::kInternal, kWhat, errno);
  return WIFSTOPPED(status) ? Result<void>() : fail(Exit::kInternal, kWhat, "it was ended");
}

Result<void> Launcher::hold_again() {
  constexpr const char* kWhat = "cannot hold the program again";
  if (::ptrace(PTRACE_SEIZE, pid_, nullptr, PTRACE_O_EXITKILL) != 0 ||
      ::ptrace(PTRACE_INTERRUPT, pid_, nullptr, nullptr) != 0)
    return may_not_be_held(kWhat, errno);
  if (auto status = next_stop(pid_, kWhat); !status) return Unexpected(status.error());
  ::kill(pid_, SIGCONT);  // comes to it when it is released
  return {};
}

Result<void> Launcher::release() {
  // One that was killed meanwhile is told as ended.
  if (::ptrace(PTRACE_DETACH, pid_, nullptr, nullptr) != 0 && errno != ESRCH)
    return fail_errno(Exit::kInternal, "cannot let the program go", errno);
  held_ = false;
  return {};
}

bool Launcher::has_ended() const {
  siginfo_t info{};
  return pid_ != 0 && ::waitid(P_PID, id_t(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == pid_;
}

std::optional<int> Launcher::collect() { return take_end(pid_); }

}  // namespace compmond::prepare
