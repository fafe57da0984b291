// SPDX-License-Identifier: Apache-2.0
#include "guard/rights.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <thread>

using namespace compmond;

namespace {

// What `act` returns in a child that has given up its rights; -1 when it could not.
int after_giving_up(const std::function<int()>& act, const guard::Needs& needs = {}) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(guard::give_up_rights(needs) ? act() : 255);
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  return WIFEXITED(status) && WEXITSTATUS(status) != 255 ? WEXITSTATUS(status) : -1;
}

// errno of a call that must fail, 0 when it does not.
template <class Call>
int error_of(Call call) {
  return after_giving_up([&] { return call() < 0 ? errno : 0; });
}

}  // namespace

TEST_CASE("rights: files, sockets, pipes and threads stay usable") {
  CHECK(after_giving_up([] {
          char name[] = "/tmp/compmond-rights-XXXXXX";
          const int file = ::mkstemp(name);
          int ends[2], pipes[2];
          const bool good = file >= 0 && ::write(file, "x", 1) == 1 && ::fsync(file) == 0 &&
                            ::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0 &&
                            ::pipe(pipes) == 0 && ::socket(AF_INET, SOCK_STREAM, 0) >= 0;
          ::unlink(name);
          int seen = 0;
          std::thread([&] { seen = 7; }).join();
          return good && seen == 7 ? 1 : 0;
        }) == 1);
}

TEST_CASE("rights: it can neither run nor become another program, nor become another user") {
  char* const words[] = {const_cast<char*>("true"), nullptr};
  CHECK(error_of([&] { return ::execv("/bin/true", words); }) == EPERM);
  CHECK(error_of([] { return ::fork(); }) == EPERM);
  CHECK(error_of([] { return ::setuid(0); }) == EPERM);
}

TEST_CASE("rights: other processes and the machine are out of reach") {
  CHECK(error_of([] { return int(::ptrace(PTRACE_ATTACH, 1, nullptr, nullptr)); }) == EPERM);
  CHECK(error_of([] { return int(::ptrace(PTRACE_DETACH, 1, nullptr, nullptr)); }) == ESRCH);
  CHECK(error_of([] {
          return int(::syscall(SYS_process_vm_readv, 1, nullptr, 0, nullptr, 0, 0));
        }) == EPERM);
  CHECK(error_of([] { return ::mount("none", "/mnt", "tmpfs", 0, nullptr); }) == EPERM);
  CHECK(error_of([] { return int(::syscall(SYS_init_module, nullptr, 0, "")); }) == EPERM);
  CHECK(error_of([] { return int(::syscall(SYS_io_uring_setup, 1, nullptr)); }) == EPERM);
}

TEST_CASE("rights: BPF maps stay usable, loading and pinning programs does not") {
  constexpr int kMapLookup = 1, kProgLoad = 5, kObjPin = 6;
  const auto bpf = [](int command) {
    return [command] { return int(::syscall(SYS_bpf, command, nullptr, 0)); };
  };
  CHECK(error_of(bpf(kProgLoad)) == EPERM);
  CHECK(error_of(bpf(kObjPin)) == EPERM);
  if (::geteuid() == 0) CHECK(error_of(bpf(kMapLookup)) != EPERM);
  guard::Needs files_only;
  files_only.probes = false;
  CHECK(after_giving_up([&] { return bpf(kMapLookup)() < 0 ? errno : 0; }, files_only) == EPERM);
}

TEST_CASE("rights: with a second thread nothing is given up, and it is told") {
  const pid_t pid = ::fork();
  if (pid == 0) {
    std::thread other([] { ::pause(); });
    const auto done = guard::give_up_rights({});
    ::_exit(!done && done.error().code == Exit::kInternal ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  CHECK(status == 0);
}
