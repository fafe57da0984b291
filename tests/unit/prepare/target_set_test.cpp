// SPDX-License-Identifier: Apache-2.0
#include "prepare/target_set.h"

#include <doctest/doctest.h>

using namespace compmond;
using prepare::TargetSet;

TEST_CASE("targets: a program without a slash that is no file here is looked up in PATH") {
  const auto named = TargetSet::find({.exe = "ls"});
  REQUIRE(named.has_value());
  CHECK(named->by_exe());
  CHECK(named->programs().front().exe.starts_with('/'));
  const auto same = TargetSet::find({.exe = named->programs().front().exe});
  REQUIRE(same.has_value());
  CHECK(named->programs().front().inode == same->programs().front().inode);
  const auto none = TargetSet::find({.exe = "no-such-program-anywhere"});
  REQUIRE_FALSE(none.has_value());
  CHECK(none.error().code == Exit::kNoInput);
}
