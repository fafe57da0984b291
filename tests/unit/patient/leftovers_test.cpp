// SPDX-License-Identifier: Apache-2.0
#include "patient/leftovers.h"

#include <sys/wait.h>

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
  CHECK(refused.error().why.find(std::to_string(surgeon.pid())) != std::string::npos);
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
