// SPDX-License-Identifier: Apache-2.0
#include "target/observed.h"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ctime>

#include "child.h"

using namespace compmond;
using compmond::test::Child;
using target::ObservedProcesses;

namespace {

constexpr const char* kExe = "/bin/storm";

// CPU time, of which the child that uses it takes so much and a little more.
constexpr uint64_t kUsedNs = 20'000'000;

void use_time() {
  timespec used{};
  do {
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  } while (used.tv_sec == 0 && uint64_t(used.tv_nsec) < kUsedNs);
}

// While it is there no file can be opened.
class NoDescriptors {
 public:
  NoDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit none{0, before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

}  // namespace

TEST_CASE("observed: the CPU time of one that ended is read until its parent collects it") {
  const Child child = Child::code(use_time);
  ObservedProcesses processes;
  REQUIRE(processes.add(child.pid(), false, kExe));
  const uint64_t at_first = processes.all()[0].cpu_now_ns;
  CHECK(at_first >= kUsedNs);
  child.kill_and_leave_zombie();
  processes.refresh();
  CHECK_FALSE(processes.all()[0].alive);
  CHECK(processes.all()[0].cpu_now_ns > at_first);  // to be killed is work
  CHECK(processes.cpu_used_ns() == processes.all()[0].cpu_now_ns - at_first);
}

TEST_CASE("observed: what one that ended is told to have used counts once, and only since") {
  ObservedProcesses processes;
  {
    const Child child = Child::code([] {});
    REQUIRE(processes.add(child.pid(), false, kExe));
  }
  const uint64_t before = processes.all()[0].cpu_before_ns;
  const pid_t pid = processes.all()[0].pid;
  processes.on_end(pid, kExe, before + kUsedNs, false);
  CHECK(processes.cpu_used_ns() == kUsedNs);
  processes.on_end(pid, kExe, before + kUsedNs + 3, true);
  processes.refresh();
  CHECK(processes.cpu_used_ns() == kUsedNs + 3);
  CHECK(processes.all().size() == 1);
}

TEST_CASE("observed: one that was over before it was met counts, told before or after it came") {
  ObservedProcesses processes;
  processes.add_ended(1'000'000'001, kExe);
  processes.on_end(1'000'000'001, kExe, 5, true);
  processes.on_end(1'000'000'002, kExe, 7, false);
  processes.add_ended(1'000'000'002, kExe);
  CHECK(processes.cpu_used_ns() == 12);
  CHECK(processes.all().size() == 2);
  processes.on_end(1'000'000'002, kExe, 8, true);
  CHECK(processes.cpu_used_ns() == 13);
  processes.on_end(1'000'000'002, kExe, 100, true);  // another one with its number
  CHECK(processes.cpu_used_ns() == 113);
}

TEST_CASE("observed: what one executes in the place of the program does not count") {
  const Child child = Child::code([] {});
  ObservedProcesses processes;
  REQUIRE(processes.add(child.pid(), true, kExe));
  const uint64_t used = processes.all()[0].cpu_now_ns;
  processes.on_end(child.pid(), kExe, used, true);
  processes.refresh();
  CHECK(processes.all()[0].alive);
  CHECK(processes.cpu_used_ns() == used);
  CHECK_FALSE(processes.add(child.pid(), true, kExe));  // it executes the program again
  CHECK_FALSE(processes.all()[0].complete);
  CHECK(processes.cpu_used_ns() == used);
}

TEST_CASE("observed: of ended ones beyond the bound those go whose time is complete") {
  ObservedProcesses processes;
  processes.on_end(1'000'000'000, kExe, 1, false);
  for (pid_t pid = 1; pid <= 300; ++pid) processes.on_end(1'000'000'000 + pid, kExe, 1, true);
  processes.on_end(1'000'000'000, kExe, 2, true);
  CHECK(processes.cpu_used_ns() == 302);
}

TEST_CASE("observed: ended processes beyond the bound are counted, though no longer listed") {
  ObservedProcesses processes;
  for (pid_t pid = 1; pid <= 300; ++pid) processes.add_ended(1'000'000'000 + pid, kExe);
  CHECK(processes.all().size() + processes.forgotten() == 300);
  CHECK(processes.forgotten() > 0);
  CHECK(processes.all().back().pid == 1'000'000'300);
}

TEST_CASE("observed: one that no descriptor is left for counts once, however often it is met") {
  const Child child = Child::code([] {}), other = Child::code([] {});
  ObservedProcesses processes;
  REQUIRE(processes.add(other.pid(), true, kExe));
  {
    const NoDescriptors none;
    CHECK_FALSE(processes.add(child.pid(), true, kExe));
    CHECK_FALSE(processes.add(child.pid(), true, kExe));
    CHECK_FALSE(processes.add(other.pid(), true, kExe));  // watched by now
  }
  CHECK(processes.unwatched() == 1);
  CHECK(processes.add(child.pid(), true, kExe));
  processes.on_end(child.pid(), kExe, 1, true);
  CHECK(processes.unwatched() == 1);
}
