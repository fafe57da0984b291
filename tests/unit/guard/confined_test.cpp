// SPDX-License-Identifier: Apache-2.0
#include "guard/confined.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "base/fd.h"

using namespace compmond;
using guard::ConfinedLimits;
using guard::Outcome;
using guard::Outside;

namespace {

Fd nothing(uint32_t, const std::string&) { return Fd(); }

Outcome outcome_of(const guard::Work& work, const ConfinedLimits& limits = {},
                   const guard::Opener& opener = nothing, const std::vector<int>& files = {}) {
  auto out = guard::run_confined(files, work, opener, limits);
  if (!out) FAIL(out.error().text());
  return *out;
}

std::string why_of(const std::function<void()>& act, const ConfinedLimits& limits = {}) {
  const Outcome out = outcome_of(
      [&](Outside&) {
        act();
        return std::string("unharmed");
      },
      limits);
  CHECK_FALSE(out.whole);
  return out.why;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

// /proc/PID/status of the one child.
std::string childs_status() {
  std::istringstream children(text_of("/proc/thread-self/children"));
  std::string pid;
  children >> pid;
  return text_of("/proc/" + pid + "/status");
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("confined: the result comes back, whatever its size and bytes") {
  for (const size_t size : {size_t(0), size_t(1), size_t(5'000'000)}) {
    const Outcome out = outcome_of([&](Outside&) { return std::string(size, '\0'); });
    CHECK(out.whole);
    CHECK(out.result == std::string(size, '\0'));
  }
}

TEST_CASE("confined: an open file can be read, and no other") {
  const Fd given(::open("/proc/self/comm", O_RDONLY | O_CLOEXEC));
  const Fd kept_back(::open("/proc/self/comm", O_RDONLY | O_CLOEXEC));
  const Outcome out = outcome_of(
      [&](Outside&) {
        char byte = 0;
        const bool mine = ::pread(given.get(), &byte, 1, 0) == 1;
        const bool others = ::pread(kept_back.get(), &byte, 1, 0) == 1;
        return std::string(mine ? "yes" : "no") + (others ? " yes" : " no");
      },
      {}, nothing, {given.get()});
  CHECK(out.result == "yes no");
}

TEST_CASE("confined: it has no capabilities, no way to gain any, and is not root") {
  std::string status;
  outcome_of([](Outside& outside) { return std::string(outside.open(0, "x").valid() ? "a" : "b"); },
             {},
             [&](uint32_t, const std::string&) {
               status = childs_status();
               return Fd();
             });
  for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapAmb"})
    CHECK(has(status, std::string(set) + ":\t0000000000000000\n"));
  CHECK(has(status, "NoNewPrivs:\t1\n"));
  CHECK(has(status, "Seccomp:\t2\n"));
  if (::geteuid() == 0) {
    CHECK(has(status, "Uid:\t65534\t65534\t65534\t65534\n"));
    CHECK(has(status, "Groups:\t \n"));
  }
}

TEST_CASE("confined: files are handed in only when the parent says so") {
  std::string asked;
  const guard::Opener opener = [&](uint32_t where, const std::string& path) {
    asked += std::to_string(where) + path + " ";
    return path == "/good" ? Fd(::open("/proc/self/comm", O_RDONLY | O_CLOEXEC)) : Fd();
  };
  const Outcome out = outcome_of(
      [](Outside& outside) {
        const Fd good = outside.open(7, "/good");
        char byte = 0;
        const bool read = ::pread(good.get(), &byte, 1, 0) == 1;
        return std::string(read ? "read" : "lost") + (outside.open(8, "/bad").valid() ? "!" : "");
      },
      {}, opener);
  CHECK(out.result == "read");
  CHECK(asked == "7/good 8/bad ");
}

TEST_CASE("confined: it opens no file, and learns nothing about any") {
  const Outcome out = outcome_of([](Outside&) {
    char text[10];
    const bool opened = ::open("/etc/passwd", O_RDONLY) >= 0 || errno != EACCES;
    const bool linked = ::readlink("/proc/self/exe", text, sizeof text) >= 0 || errno != EACCES;
    return std::string(opened || linked ? "seen" : "blind");
  });
  CHECK(out.result == "blind");
}

TEST_CASE("confined: a crash is told with its signal and the step") {
  const Outcome out = outcome_of([](Outside& outside) {
    outside.at(3);
    outside.at(4);
    std::abort();
    return std::string();
  });
  CHECK_FALSE(out.whole);
  CHECK(out.step == 4);
  CHECK(has(out.why, "was killed by SIGABRT"));
  CHECK(has(why_of([] { (void)::kill(::getppid(), SIGTERM); }), "was killed by SIGSYS"));
}

TEST_CASE("confined: it can neither run programs, nor reach the network, nor map code") {
  CHECK(has(why_of([] { ::execl("/bin/true", "true", nullptr); }), "was killed by SIGSYS"));
  CHECK(has(why_of([] { (void)::socket(AF_INET, SOCK_STREAM, 0); }), "was killed by SIGSYS"));
  CHECK(has(why_of([] { (void)::fork(); }), "was killed by SIGSYS"));
  CHECK(has(why_of([] {
              (void)::mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                           0);
            }),
            "was killed by SIGSYS"));
  CHECK(has(why_of([] { (void)::unlink("/nonexistent"); }), "was killed by SIGSYS"));
}

TEST_CASE("confined: one that hangs is ended at the deadline, one that computes at its CPU time") {
  ConfinedLimits limits;
  limits.deadline_ns = 50'000'000;
  const auto forever = [] {
    for (volatile bool on = true; on;) {
    }
  };
  CHECK(has(why_of(forever, limits), "did not end within"));
  limits = {};
  limits.cpu_seconds = 1;
  CHECK(has(why_of(forever, limits), "used up its CPU time"));
}

TEST_CASE("confined: too large a result is refused") {
  ConfinedLimits limits;
  limits.result_bytes = 1000;
  const Outcome out = outcome_of([](Outside&) { return std::string(1001, 'x'); }, limits);
  CHECK_FALSE(out.whole);
  CHECK(out.why == "has more to tell than is taken");
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("confined: one that wants too much memory is told so") {
  ConfinedLimits limits;
  SUBCASE("in all") { limits.memory_bytes = 256u << 20; }
  SUBCASE("beside files") { limits.heap_bytes = 256u << 20; }
  const Outcome out =
      outcome_of([](Outside&) { return std::string(size_t(1) << 30, 'x').substr(0, 1); }, limits);
  CHECK_FALSE(out.whole);
  CHECK(out.why == "needs more than 256 MiB of memory");
}
#endif

TEST_CASE("confined: one that speaks nonsense, or leaves without a word, is told as such") {
  const guard::Work nonsense = [](Outside&) {
    // The channel is the only socket that it has.
    for (int fd = STDERR_FILENO + 1; fd < 64; ++fd)
      if (::fcntl(fd, F_GETFD) >= 0) {
        const uint64_t header = ~uint64_t(0);
        (void)::sendto(fd, &header, sizeof header, MSG_NOSIGNAL, nullptr, 0);
      }
    return std::string();
  };
  CHECK(outcome_of(nonsense).why == "sent something that is no message");
  CHECK(has(why_of([] { ::_exit(5); }), "exited with status 5 and no result"));
}

TEST_CASE("confined: a signal to end that nobody takes yet ends the wait for a child that hangs") {
  sigset_t set, before;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGTERM);
  REQUIRE(::sigprocmask(SIG_BLOCK, &set, &before) == 0);
  const auto out = guard::run_confined(
      {},
      [&](Outside& outside) {
        (void)outside.open(0, "anything");
        for (;;) {
        }
        return std::string();
      },
      [](uint32_t, const std::string&) {
        ::kill(::getpid(), SIGTERM);
        return Fd();
      });
  siginfo_t info{};
  const timespec now{};
  CHECK(::sigtimedwait(&set, &info, &now) == SIGTERM);  // it is still there, for whoever takes it
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  REQUIRE_FALSE(out);
  CHECK(int(out.error().code) == 128 + SIGTERM);
}
