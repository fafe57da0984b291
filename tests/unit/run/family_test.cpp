// SPDX-License-Identifier: Apache-2.0
#include "run/family.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>

using namespace compmond;

namespace {

// Is told of each process that it is gone.
struct Gone : engine::Targets {
  Result<void> add(pid_t) override { return fail(Exit::kNoInput, "cannot observe it", "gone", ""); }
  void remove(pid_t) override {}
  std::optional<uint64_t> since(pid_t) const override { return {}; }
  std::vector<pid_t> all() const override { return {}; }
};

Result<void> adopt(const prepare::TargetOptions& asked) {
  const auto given = prepare::TargetSet::find(asked);
  REQUIRE(given);
  REQUIRE(std::ranges::count(given->processes(), ::getpid(), &target::Process::pid) == 1);
  Gone gone;
  run::Notes notes;
  return run::Family(asked, *given, gone, notes).adopt();
}

}  // namespace

TEST_CASE("family: a process of the program that ended while the run was prepared is no error") {
  prepare::TargetOptions asked;
  asked.exe = "/proc/self/exe";
  CHECK(adopt(asked));
}

TEST_CASE("family: a process that was asked for by its number is one") {
  prepare::TargetOptions asked;
  asked.pids = {::getpid()};
  const auto adopted = adopt(asked);
  REQUIRE(!adopted);
  CHECK(adopted.error().code == Exit::kNoInput);
}
