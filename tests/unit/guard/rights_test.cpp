// SPDX-License-Identifier: Apache-2.0
#include "guard/rights.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <memory>
#include <thread>

#include "base/fd.h"
#include "base/safe_file.h"
#include "guard/landlock.h"

using namespace compmond;

namespace {

// What `act` returns in a child; -1 when it could not.
int after_forking(const std::function<int()>& act) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(act());
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  return WIFEXITED(status) && WEXITSTATUS(status) != 255 ? WEXITSTATUS(status) : -1;
}

// Likewise in one that has given up its rights.
int after_giving_up(const std::function<int()>& act, const guard::Needs& needs = {}) {
  return after_forking([&] { return guard::give_up_rights(needs) ? act() : 255; });
}

// errno of a call that must fail, 0 when it does not.
template <class Call>
int error_of(Call call) {
  return after_giving_up([&] { return call() < 0 ? errno : 0; });
}

}  // namespace

TEST_CASE("rights: open files, sockets, pipes and threads stay usable") {
  const Fd file(::memfd_create("log", MFD_CLOEXEC));
  CHECK(after_giving_up([&] {
          int ends[2], pipes[2];
          const bool good = ::write(file.get(), "x", 1) == 1 && ::fsync(file.get()) == 0 &&
                            ::ftruncate(file.get(), 0) == 0 &&
                            Fd(::open(file.proc_path().c_str(), O_RDONLY)).valid() &&
                            Fd(::open("/proc/self/stat", O_RDONLY)).valid() &&
                            ::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0 &&
                            ::pipe(pipes) == 0 && ::socket(AF_INET, SOCK_STREAM, 0) >= 0;
          int seen = 0;
          std::thread([&] { seen = 7; }).join();
          return good && seen == 7 ? 1 : 0;
        }) == 1);
}

TEST_CASE("rights: what is open is what can be written, wherever Landlock is") {
  const bool landlock = guard::landlock_version() > 0;
  char name[] = "/tmp/compmond-rights-XXXXXX";
  const Fd file(::mkstemp(name));
  ::fchmod(file.get(), 0666);
  const auto opened = [&](int flags) {
    return error_of([&] { return ::open(name, flags, 0600); });
  };
  CHECK(opened(O_RDONLY) == 0);
  CHECK(opened(O_WRONLY) == (landlock ? EACCES : 0));
  CHECK(opened(O_RDWR) == (landlock ? EACCES : 0));
  if (landlock) {
    CHECK(error_of([&] { return ::open("/tmp/compmond-rights-new", O_CREAT | O_WRONLY, 0600); }) ==
          EACCES);
    CHECK(error_of([&] { return ::unlink(name); }) == EACCES);
    CHECK(error_of([&] { return ::mkdir("/tmp/compmond-rights-new", 0700); }) == EACCES);
  }
  ::unlink(name);
}

TEST_CASE("rights: root becomes nobody, whom nobody may look into" *
          doctest::skip(::geteuid() != 0)) {
  CHECK(after_giving_up([] {
          return ::getuid() == 65534 && ::getgid() == 65534 && ::getgroups(0, nullptr) == 0 &&
                         ::prctl(PR_GET_DUMPABLE) == 0
                     ? 1
                     : 0;
        }) == 1);
  CHECK(guard::can_be_nobody());
  CHECK(error_of([] { return ::open("/etc/shadow", O_RDONLY); }) == EACCES);
}

// What `act` returns where the kernel knows no Landlock: the first filter says so.
int without_landlock(const std::function<int()>& act) {
  return after_forking([&] {
    const std::unique_ptr<void, void (*)(scmp_filter_ctx)> filter(::seccomp_init(SCMP_ACT_ALLOW),
                                                                  ::seccomp_release);
    for (const int call : {SCMP_SYS(landlock_create_ruleset), SCMP_SYS(landlock_restrict_self)})
      if (::seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(ENOSYS), call, 0) != 0) return 255;
    if (::seccomp_load(filter.get()) != 0) return 255;
    return guard::landlock_version() == 0 ? act() : 255;
  });
}

TEST_CASE("rights: without Landlock the other means hold" * doctest::skip(::geteuid() != 0)) {
  CHECK(without_landlock([] {
          if (guard::renounce_changes() != ENOSYS || !guard::give_up_rights({})) return 255;
          const bool held = ::open("/etc/shadow", O_WRONLY) < 0 &&
                            ::open("/proc/sys/kernel/core_pattern", O_WRONLY) < 0 &&
                            ::open("/etc/compmond-rights", O_CREAT | O_WRONLY, 0600) < 0 &&
                            ::unlink("/etc/shadow") < 0 && ::setuid(0) < 0;
          return held ? 1 : 0;
        }) == 1);
}

TEST_CASE("rights: files are not emptied, whatever Landlock knows of that") {
  char name[] = "/tmp/compmond-rights-XXXXXX";
  const Fd file(::mkstemp(name));
  REQUIRE(::fchmod(file.get(), 0666) == 0);
  REQUIRE(::write(file.get(), "x", 1) == 1);
  open_how how{};
  how.flags = O_RDONLY | O_TRUNC;
  CHECK(without_landlock([&] {
          if (!guard::give_up_rights({})) return 255;
          const bool held = ::truncate(name, 0) < 0 && ::open(name, O_RDONLY | O_TRUNC) < 0 &&
                            ::syscall(SYS_open, name, O_RDONLY | O_TRUNC) < 0 &&
                            ::creat(name, 0666) < 0 &&
                            ::syscall(SYS_openat2, AT_FDCWD, name, &how, sizeof how) < 0;
          return held ? 1 : 0;
        }) == 1);
  struct stat st {};
  REQUIRE(::fstat(file.get(), &st) == 0);
  CHECK(st.st_size == 1);
  ::unlink(name);
}

TEST_CASE("rights: it signals itself alone, whatever Landlock knows of that" *
          doctest::skip(::geteuid() != 0)) {
  const pid_t other = ::fork();  // of the same user
  if (other == 0) {
    if (::setresuid(65534, 65534, 65534) == 0) ::pause();
    ::_exit(1);
  }
  const std::string status = "/proc/" + std::to_string(other) + "/status";
  const auto is_nobody = [&] {
    const std::string text = read_file(status, 65536).value_or("");
    return text.find("Uid:\t65534\t65534") != std::string::npos;
  };
  while (!is_nobody() && ::waitpid(other, nullptr, WNOHANG) == 0) std::this_thread::yield();
  CHECK(without_landlock([&] {
          if (!guard::give_up_rights({})) return 255;
          siginfo_t info{};
          info.si_code = SI_QUEUE;
          const bool held = ::kill(other, SIGKILL) < 0 && ::kill(-1, SIGKILL) < 0 &&
                            ::kill(0, SIGKILL) < 0 && ::sigqueue(other, SIGKILL, {}) < 0 &&
                            ::syscall(SYS_tkill, other, SIGKILL) < 0 &&
                            ::syscall(SYS_tgkill, other, other, SIGKILL) < 0 &&
                            ::syscall(SYS_rt_tgsigqueueinfo, other, other, SIGKILL, &info) < 0;
          return held && ::raise(0) == 0 && ::kill(::getpid(), 0) == 0 ? 1 : 0;
        }) == 1);
  CHECK(::waitpid(other, nullptr, WNOHANG) == 0);  // it lives
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
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
