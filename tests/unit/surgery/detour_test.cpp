// SPDX-License-Identifier: Apache-2.0
#include "surgery/detour.h"

#include <doctest/doctest.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <string>

#include "base/clock.h"
#include "child.h"

using namespace compmond;
using namespace compmond::inprocess;

namespace {

constexpr uint64_t kSecond = 1'000'000'000;

// Bytes of this program that nobody runs, and of its children.
__attribute__((noinline, aligned(4096))) void unused() { __asm__ volatile(".skip 1024, 0x90"); }
Slack slack() { return {uint64_t(&unused) + 64, 512, 0x90}; }

SystemCall map_page() {
  return {SYS_mmap, {0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, uint64_t(-1), 0}};
}

bool has_page(pid_t pid, uint64_t at) {
  const auto memory = ProcessMemory::open(pid);
  uint8_t byte;
  return memory && memory->read(at, {&byte, 1});
}

// All that it has is as before, in each turn.
[[noreturn]] void check_forever() {
  for (;;) {
    uint64_t a = 0x1122334455667788, b = 0;
    __asm__ volatile(
        "mov $100000, %%ecx; mov %2, %%r8; mov %2, %%r12; movq %2, %%xmm3; mov %2, -64(%%rsp);"
        "1: dec %%ecx; jnz 1b; mov %%r8, %0; xor %%r12, %0; movq %%xmm3, %%rax; xor %%rax, %0;"
        "xor -64(%%rsp), %0"
        : "=&r"(b)
        : "0"(b), "r"(a)
        : "rax", "rcx", "r8", "r12", "xmm3", "memory", "cc");
    if (b != 0) ++shared->wrong;
    ++shared->turns;
  }
}

}  // namespace

TEST_CASE("detour: a thread at work makes calls, and has all that it had" *
          doctest::skip(::geteuid() != 0)) {
  const Child child(check_forever);
  child.turns(3);
  const auto memory = ProcessMemory::open(child.pid());
  REQUIRE(memory);
  std::array<uint8_t, 512> before, after;
  REQUIRE(memory->read(slack().at, before));
  for (int i = 0; i < 50; ++i) {
    std::vector<SystemCall> calls = {map_page(), {SYS_getpid, {}}};
    {
      auto threads = StoppedThreads::stop(child.pid(), StoppedThreads::Which::kAll, kSecond);
      REQUIRE(threads);
      REQUIRE(threads->all().size() == 1);
      const auto done = make_calls(*threads, threads->all()[0], *memory, slack(), calls);
      REQUIRE_MESSAGE(done, (done ? "" : done.error().text()));
    }
    CHECK(calls[1].result == uint64_t(child.pid()));
    REQUIRE_FALSE(calls[0].failed());
    CHECK(has_page(child.pid(), calls[0].result));
    child.turns(2);
  }
  CHECK(shared->wrong == 0);
  REQUIRE(memory->read(slack().at, after));
  CHECK(before == after);
}

TEST_CASE("detour: a thread that waits in the kernel waits on" * doctest::skip(::geteuid() != 0)) {
  struct Wait {
    std::string what;
    std::function<long()> wait;
  };
  std::array<int, 2> ends;
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
  const timespec long_time = {1, 500'000'000};
  const std::vector<Wait> waits = {
      {"sleep", [&] { return long(::nanosleep(&long_time, nullptr)); }},
      {"poll",
       [&] {
         pollfd of{ends[0], POLLIN, 0};
         return long(::poll(&of, 1, 1500));
       }},
      {"read with a timeout",
       [&] {
         const timeval limit = {1, 500'000};
         ::setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
         char byte;
         return ::recv(ends[0], &byte, 1, 0) == -1 && errno == EAGAIN ? 0L : -1L;
       }},
  };
  for (const auto& [what, wait] : waits) {
    CAPTURE(what);
    const Child child([&] {
      ++shared->turns;
      const uint64_t began = monotonic_ns();
      if (wait() != 0 || monotonic_ns() - began < 1'400'000'000) ++shared->wrong;
      ++shared->turns;
      for (;;) ::pause();
    });
    const auto come_to = [&](uint64_t turns) {
      if (shared->turns < turns) child.turns(turns - shared->turns);
    };
    come_to(1);
    const auto memory = ProcessMemory::open(child.pid());
    for (int i = 0; i < 5; ++i) {
      std::vector<SystemCall> calls = {{SYS_getpid, {}}};
      auto threads = StoppedThreads::stop(child.pid(), StoppedThreads::Which::kAll, kSecond);
      REQUIRE(threads);
      const auto done = make_calls(*threads, threads->all()[0], *memory, slack(), calls);
      REQUIRE_MESSAGE(done, (done ? "" : done.error().text()));
      CHECK(calls[0].result == uint64_t(child.pid()));
    }
    come_to(2);
    CHECK(shared->wrong == 0);
  }
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_CASE("detour: signals that come meanwhile are handled afterwards, each" *
          doctest::skip(::geteuid() != 0)) {
  const Child child([] {
    struct sigaction action = {};
    action.sa_handler = [](int) { ++shared->signals; };
    ::sigaction(SIGUSR1, &action, nullptr);
    ++shared->turns;
    check_forever();
  });
  child.turns(2);
  const auto memory = ProcessMemory::open(child.pid());
  uint64_t sent = 0;
  for (int i = 0; i < 30; ++i) {
    {
      std::vector<SystemCall> calls = {{SYS_getpid, {}}};
      auto threads = StoppedThreads::stop(child.pid(), StoppedThreads::Which::kAll, kSecond);
      REQUIRE(threads);
      ::kill(child.pid(), SIGUSR1);
      ++sent;
      REQUIRE(make_calls(*threads, threads->all()[0], *memory, slack(), calls));
    }
    while (shared->signals < sent) ::usleep(100);
  }
  CHECK(shared->signals == sent);
  CHECK(shared->wrong == 0);
}

TEST_CASE("detour: where whoever sent it dies the thread goes on by itself" *
          doctest::skip(::geteuid() != 0)) {
  const Child child(check_forever);
  child.turns(1);
  for (const useconds_t after : {0u, 100u, 300u, 1000u, 3000u}) {
    const pid_t surgeon = ::fork();
    REQUIRE(surgeon >= 0);
    if (surgeon == 0) {
      const auto memory = ProcessMemory::open(child.pid());
      for (;;) {
        std::vector<SystemCall> calls(kMostCalls, {SYS_sched_yield, {}});
        auto threads = StoppedThreads::stop(child.pid(), StoppedThreads::Which::kAll, kSecond);
        if (threads) (void)make_calls(*threads, threads->all()[0], *memory, slack(), calls);
      }
    }
    ::usleep(20'000 + after);
    ::kill(surgeon, SIGKILL);
    ::waitpid(surgeon, nullptr, 0);
    child.turns(3);
    CHECK(shared->wrong == 0);
  }
}
