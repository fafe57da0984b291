// SPDX-License-Identifier: Apache-2.0
#include "surgery/stacks.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string>

#include "child.h"
#include "surgery/stopped_threads.h"

using namespace compmond;
using namespace compmond::inprocess;

extern "C" __attribute__((noinline, used)) void stacks_spin() {
  for (volatile long i = 0; i < 1'000'000'000'000;) {
    const long next = i + 1;
    i = next;
  }
}

extern "C" __attribute__((naked, used)) void stacks_own_return() {
  __asm__("push $15; pop %rax; syscall");
}

namespace {

constexpr uint64_t kMostOfSpin = 128;  // its code has fewer bytes

// In a handler on one stack that was called in a handler on another one, or on the same.
[[noreturn]] void spin_interrupted(int flags_of_second) {
  static std::array<char, 1 << 16> other;
  const stack_t stack = {.ss_sp = other.data(), .ss_flags = 0, .ss_size = other.size()};
  ::sigaltstack(&stack, nullptr);
  struct sigaction action = {};
  action.sa_handler = [](int) {
    shared->signals = 1;
    for (;;) ::pause();
  };
  action.sa_flags = flags_of_second;
  ::sigaction(SIGUSR2, &action, nullptr);
  action.sa_handler = [](int) { ::raise(SIGUSR2); };
  action.sa_flags = 0;
  ::sigaction(SIGUSR1, &action, nullptr);
  ++shared->turns;
  stacks_spin();
  ::_exit(1);
}

// In a handler that returns by code of the program's own, as one may have that knows no C library.
[[noreturn]] void spin_interrupted_by_own_return() {
  struct KernelAction {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)();
    unsigned long mask;
  } action{[](int) {
             shared->signals = 1;
             for (;;) ::pause();
           },
           0x04000000 /* SA_RESTORER */, stacks_own_return, 0};
  ::syscall(SYS_rt_sigaction, SIGUSR1, &action, nullptr, sizeof action.mask);
  ++shared->turns;
  stacks_spin();
  ::_exit(1);
}

EndOfStack end_of_stack(pid_t pid) {
  return [pid](uint64_t sp) {
    std::ifstream maps("/proc/" + std::to_string(pid) + "/maps");
    for (std::string line; std::getline(maps, line);) {
      uint64_t start = 0, end = 0;
      if (std::sscanf(line.c_str(), "%lx-%lx", &start, &end) == 2 && sp >= start && sp < end)
        return end;
    }
    return uint64_t(0);
  };
}

}  // namespace

TEST_CASE("stacks: a thread comes back to where its handlers were called, on any stack" *
          doctest::skip(::geteuid() != 0)) {
  const std::array<std::function<void()>, 3> ways = {[] { spin_interrupted(0); },
                                                     [] { spin_interrupted(SA_ONSTACK); },
                                                     [] { spin_interrupted_by_own_return(); }};
  for (const auto& way : ways) {
    const Child child(way);
    while (shared->turns == 0) ::usleep(1000);
    const auto memory = ProcessMemory::open(child.pid());
    REQUIRE(memory);
    Ranges spins, others;
    spins.add(uint64_t(&stacks_spin), kMostOfSpin);
    others.add(uint64_t(&stacks_spin) + (1 << 30), kMostOfSpin);
    const auto there = [&](const Ranges& ranges, uint64_t most_bytes = UINT64_MAX) {
      const auto threads =
          StoppedThreads::stop(child.pid(), StoppedThreads::Which::kAll, 1'000'000'000);
      REQUIRE(threads);
      return threads_in(*threads, *memory, ranges, end_of_stack(child.pid()), most_bytes);
    };
    while (there(spins) == 0) ::usleep(1000);  // it is on its way there
    ::kill(child.pid(), SIGUSR1);
    while (shared->signals == 0) ::usleep(1000);
    ::usleep(10'000);
    CHECK(there(spins) == 1);
    CHECK(there(others) == 0);
    CHECK_FALSE(there(others, 8));
  }
}
