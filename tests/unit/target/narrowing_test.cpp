// SPDX-License-Identifier: Apache-2.0
#include "target/narrowing.h"

#include <doctest/doctest.h>
#include <unistd.h>

using namespace compmond;
using target::Narrowing;
using target::narrowing_of;

namespace {

std::string refusal(const std::string& user, const std::string& cgroup, std::optional<pid_t> pid) {
  const auto narrowing = narrowing_of(user, cgroup, pid);
  REQUIRE_FALSE(narrowing);
  CHECK(narrowing.error().code == Exit::kNoInput);
  CHECK_FALSE(narrowing.error().next.empty());
  return narrowing.error().text();
}

bool admits_us(const Result<Narrowing>& narrowing) {
  REQUIRE(narrowing);
  return narrowing->admits(::getpid());
}

}  // namespace

TEST_CASE("narrowing: a process is admitted by its user and its pid namespace") {
  CHECK(admits_us(narrowing_of("", "", std::nullopt)));
  CHECK(admits_us(narrowing_of(fmt::to_string(::geteuid()), "", std::nullopt)));
  CHECK(admits_us(narrowing_of(target::name_of_user(::geteuid()), "", ::getpid())));
  CHECK_FALSE(admits_us(narrowing_of(fmt::to_string(::geteuid() + 1), "", std::nullopt)));
  Narrowing elsewhere;
  elsewhere.pid_namespace = 1;
  CHECK_FALSE(elsewhere.admits(::getpid()));
  Narrowing cgroup;
  cgroup.cgroup = 1;
  cgroup.cgroup_path = "/no such cgroup";
  CHECK_FALSE(cgroup.admits(::getpid()));
  CHECK_FALSE(narrowing_of("0", "", std::nullopt)->admits(0x7fffffff));  // nobody has that pid
}

TEST_CASE("narrowing: what there is not is an error that says how to name it") {
  CHECK(refusal("no such user", "", std::nullopt).find("'no such user'") != std::string::npos);
  CHECK(refusal("", "no/such.cgroup", std::nullopt).find("cgroup2") != std::string::npos);
  CHECK(refusal("", "/tmp", std::nullopt).find("'/tmp'") != std::string::npos);
  CHECK(refusal("", "", 0x7fffffff).find("pid namespace") != std::string::npos);
}
