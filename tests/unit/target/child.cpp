// SPDX-License-Identifier: Apache-2.0
#include "child.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

namespace compmond::test {
namespace {

struct Pipe {
  Pipe() {
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    out.reset(ends[0]);
    in.reset(ends[1]);
  }
  Fd out, in;
};

// Forks; the child runs `body`, which closes its end of the pipe by exec or by itself when it is
// ready.
pid_t fork_until_ready(const std::function<void(Fd&)>& body) {
  Pipe ready;
  const pid_t pid = ::fork();
  REQUIRE(pid >= 0);
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ready.out.reset();
    body(ready.in);
    ::_exit(127);
  }
  ready.in.reset();
  char byte;
  CHECK(::read(ready.out.get(), &byte, 1) == 0);
  return pid;
}

}  // namespace

Child Child::program(const std::vector<std::string>& command) {
  return Child(fork_until_ready([&](Fd&) {
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    ::execv(arguments[0], arguments.data());
  }));
}

Child Child::code(const std::function<void()>& body) {
  return Child(fork_until_ready([&](Fd& ready) {
    body();
    ready.reset();
    for (;;) ::pause();
  }));
}

Child::Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}

void Child::kill_and_leave_zombie() const {
  ::kill(pid_, SIGKILL);
  siginfo_t info{};
  CHECK(::waitid(P_PID, id_t(pid_), &info, WEXITED | WNOWAIT) == 0);
}

Child::~Child() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

}  // namespace compmond::test
