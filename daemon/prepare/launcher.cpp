// SPDX-License-Identifier: Apache-2.0
#include "prepare/launcher.h"

#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/fd.h"
#include "core/process_status.h"

namespace compmond::prepare {
namespace {

constexpr long kBreakpoint = 0xcc;  // int3

// Runs in the child: gets ready to be traced and becomes the program, or reports errno through the
// pipe.
[[noreturn]] void become(const std::vector<std::string>& command, int error_pipe) {
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0) ::execvp(argv[0], argv.data());
  const int err = errno;
  (void)!::write(error_pipe, &err, sizeof err);
  ::_exit(127);
}

// Address of the program's first instruction (ELF entry), from the auxiliary vector.
uint64_t entry_address(pid_t pid) {
  Fd fd(::open(fmt::format("/proc/{}/auxv", pid).c_str(), O_RDONLY | O_CLOEXEC));
  Elf64_auxv_t entry;
  while (fd.valid() && ::read(fd.get(), &entry, sizeof entry) == ssize_t(sizeof entry))
    if (entry.a_type == AT_ENTRY) return entry.a_un.a_val;
  return 0;
}

// Waits for the next stop; 0 or the wait status of a program that ended instead. Signals meanwhile
// reach the program.
Result<void> run_to_trap(pid_t pid, const char* what) {
  for (;;) {
    int status = 0;
    if (::waitpid(pid, &status, 0) != pid) return fail_errno(Exit::kInternal, what, errno);
    if (!WIFSTOPPED(status))
      return fail(Exit::kNoInput, what,
                  "the program " + status_text(status) + " before its main began",
                  "Run it without compmond first.");
    if (WSTOPSIG(status) == SIGTRAP) return {};
    if (::ptrace(PTRACE_CONT, pid, nullptr, WSTOPSIG(status)) != 0)
      return fail_errno(Exit::kInternal, what, errno);
  }
}

// From the stop at exec to the program's entry point: the loader has mapped the libraries by then.
Result<void> run_to_entry(pid_t pid) {
  const char* what = "cannot hold the program at its start";
  const uint64_t entry = entry_address(pid);
  if (entry == 0) return fail(Exit::kInternal, what, "it has no entry address");
  errno = 0;
  const long original = ::ptrace(PTRACE_PEEKTEXT, pid, entry, nullptr);
  if (errno != 0) return fail_errno(Exit::kInternal, what, errno);
  if (::ptrace(PTRACE_POKETEXT, pid, entry, (original & ~0xffl) | kBreakpoint) != 0 ||
      ::ptrace(PTRACE_CONT, pid, nullptr, nullptr) != 0)
    return fail_errno(Exit::kInternal, what, errno);
  if (auto stopped = run_to_trap(pid, what); !stopped) return stopped;
  user_regs_struct regs{};
  if (::ptrace(PTRACE_GETREGS, pid, nullptr, &regs) != 0)
    return fail_errno(Exit::kInternal, what, errno);
  regs.rip = entry;
  if (::ptrace(PTRACE_POKETEXT, pid, entry, original) != 0 ||
      ::ptrace(PTRACE_SETREGS, pid, nullptr, &regs) != 0)
    return fail_errno(Exit::kInternal, what, errno);
  return {};
}

}  // namespace

Result<Launcher> Launcher::start(const std::vector<std::string>& command) {
  const std::string what = fmt::format("cannot start '{}'", command.front());
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail_errno(Exit::kInternal, what, errno);
  Fd read_end(ends[0]), write_end(ends[1]);
  const pid_t pid = ::fork();
  if (pid < 0) return fail_errno(Exit::kInternal, what, errno);
  if (pid == 0) become(command, write_end.get());
  write_end.reset();
  int err = 0;
  if (::read(read_end.get(), &err, sizeof err) == ssize_t(sizeof err)) {
    wait_for(pid);
    return fail_errno(is_permission(err) ? Exit::kNoPermission : Exit::kNoInput, what, err,
                      "Check the path and that it may be executed.");
  }
  Launcher launcher(pid);
  if (auto stopped = run_to_trap(pid, what.c_str()); !stopped) return Unexpected(stopped.error());
  if (auto held = run_to_entry(pid); !held) return Unexpected(held.error());
  return launcher;
}

Launcher::~Launcher() {
  if (pid_ == 0 || !held_) return;
  // Who has given up its rights may signal no other user's process, but lets one go with a signal.
  if (::kill(pid_, SIGKILL) != 0) ::ptrace(PTRACE_DETACH, pid_, nullptr, SIGKILL);
  wait_for(pid_);
}

Result<void> Launcher::release() {
  if (::ptrace(PTRACE_DETACH, pid_, nullptr, nullptr) != 0)
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
