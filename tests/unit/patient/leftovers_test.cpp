// SPDX-License-Identifier: Apache-2.0
#include "patient/leftovers.h"

#include <sys/syscall.h>
#include <sys/wait.h>

#include "patient/address_space.h"
#include "surgery/detour.h"
#include "working.h"

using namespace compmond;
using namespace compmond::inprocess;
using namespace compmond::inprocess::test;

namespace {

// A process that patches another one, and stays until it is killed.
class Surgeon {
 public:
  explicit Surgeon(pid_t patient) {
    Own own;
    const auto functions = own.functions();
    pid_ = ::fork();
    REQUIRE(pid_ >= 0);
    if (pid_ == 0) {
      auto opened = Patient::open(patient, kLayout);
      const auto refused =
          opened ? opened->patch(functions) : Result<std::vector<Patient::Refusal>>();
      if (opened && refused && refused->empty()) shared->signals = 1;
      for (;;) ::pause();
    }
    for (int tries = 0; shared->signals == 0 && tries < 10'000; ++tries) ::usleep(1000);
    REQUIRE(shared->signals == 1);
  }
  ~Surgeon() { kill(); }
  void kill() {
    if (pid_ == 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = 0;
};

// Sends a thread of another process on a detour of some 150 ms, and is killed meanwhile.
void die_while_it_calls(pid_t patient) {
  const pid_t pid = ::fork();
  REQUIRE(pid >= 0);
  if (pid == 0) {
    const auto space = AddressSpace::of(patient);
    const auto memory = ProcessMemory::open(patient);
    auto threads = StoppedThreads::stop_all(patient);
    std::vector<SystemCall> calls(kMostCalls, {SYS_poll, {0, 0, 10}});
    (void)make_calls(*threads, threads->all()[0], *memory, *space->slack(*memory), calls);
    ::_exit(0);
  }
  const auto space = AddressSpace::of(patient);
  const auto memory = ProcessMemory::open(patient);
  while (space->detours(*memory).empty()) ::usleep(100);
  ::kill(pid, SIGKILL);
  int status = 0;
  ::waitpid(pid, &status, 0);
  REQUIRE(WIFSIGNALED(status));
}

bool is_left_in(pid_t pid) { return std::ranges::count(left_behind().in, pid) > 0; }

}  // namespace

TEST_CASE("leftovers: of one that was killed all is put back, as often as it is asked" *
          doctest::skip(::geteuid() != 0)) {
  const Child child(work_forever);
  child.turns(100);
  const std::string before = maps_of(child.pid());
  Surgeon surgeon(child.pid());
  child.turns(100);
  CHECK_FALSE(is_left_in(child.pid()));
  const auto refused = restore(child.pid());
  REQUIRE_FALSE(refused);
  CHECK(refused.error().why.find(std::to_string(::getpid())) != std::string::npos);
  CHECK_FALSE(Patient::open(child.pid(), kLayout));  // one at a time
  surgeon.kill();
  child.turns(40'000);  // all that there is room for is recorded, for nobody
  CHECK(is_left_in(child.pid()));
  const auto done = restore(child.pid());
  REQUIRE_MESSAGE(done, (done ? "" : done.error().text()));
  CHECK(*done >= 4);
  CHECK(maps_of(child.pid()) == before);
  CHECK_FALSE(is_left_in(child.pid()));
  const auto again = restore(child.pid());
  REQUIRE(again);
  CHECK(*again == 0);
  child.turns(100);
  CHECK(shared->wrong == 0);
}

TEST_CASE("leftovers: who patches next puts back what the last one left" *
          doctest::skip(::geteuid() != 0)) {
  const Child child(work_forever);
  child.turns(100);
  const std::string before = maps_of(child.pid());
  for (int round = 0; round < 5; ++round) {
    shared->signals = 0;
    Surgeon(child.pid()).kill();
    child.turns(100);
  }
  REQUIRE(is_left_in(child.pid()));
  auto patient = Patient::open(child.pid(), kLayout);
  REQUIRE_MESSAGE(patient, (patient ? "" : patient.error().text()));
  CHECK_FALSE(is_left_in(child.pid()));
  REQUIRE(patient->leave());
  CHECK(maps_of(child.pid()) == before);
  child.turns(100);
  CHECK(shared->wrong == 0);
}

TEST_CASE("leftovers: a detour that a killed one had sent a thread on is taken away" *
          doctest::skip(::geteuid() != 0)) {
  const Child child(work_forever);
  child.turns(100);
  const auto memory = ProcessMemory::open(child.pid());
  die_while_it_calls(child.pid());
  CHECK(is_left_in(child.pid()));
  const auto done = restore(child.pid());  // the thread is on it yet
  REQUIRE_MESSAGE(done, (done ? "" : done.error().text()));
  CHECK(*done == 1);
  CHECK_FALSE(is_left_in(child.pid()));
  CHECK(*restore(child.pid()) == 0);
  const uint64_t at = AddressSpace::of(child.pid())->slack(*memory)->at;
  die_while_it_calls(child.pid());
  child.turns(100);  // it has left it by itself
  CHECK(AddressSpace::of(child.pid())->slack(*memory)->at == at);
  auto patient = Patient::open(child.pid(), kLayout);  // which takes it away, too
  REQUIRE_MESSAGE(patient, (patient ? "" : patient.error().text()));
  CHECK_FALSE(is_left_in(child.pid()));
  REQUIRE(patient->leave());
  child.turns(100);
  CHECK(shared->wrong == 0);
}
