// SPDX-License-Identifier: Apache-2.0
#include "base/invoker.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "base/safe_file.h"
#include "support/sudo.h"

using namespace compmond;
using test::Sudo;

TEST_CASE("invoker: is nobody where sudo names no user") {
  for (const char* uid : {"", "0", "-1", "4294967295", "4294967296", "12x", "root"}) {
    const Sudo sudo(uid, "1");
    CHECK_FALSE(invoker());
  }
}

TEST_CASE("invoker: is for root whom sudo names" * doctest::skip(::geteuid() != 0)) {
  const Sudo sudo("1000", "1001");
  REQUIRE(invoker());
  CHECK(invoker()->uid == 1000);
  CHECK(invoker()->gid == 1001);
}

TEST_CASE("invoker: owns what root writes, and words that are no user give nothing away" *
          doctest::skip(::geteuid() != 0)) {
  const std::string path = "/tmp/compmond-invoker-" + std::to_string(::getpid());
  const auto owner = [&](const char* uid, const char* gid) {
    const Sudo sudo(uid, gid);
    REQUIRE(write_file_whole(path, "x"));
    struct stat st {};
    ::lstat(path.c_str(), &st);
    ::unlink(path.c_str());
    return st.st_uid;
  };
  CHECK(owner("1000", "1001") == 1000);
  CHECK(owner("12x", "1001") == 0);
  CHECK(owner("1000", "4294967295") == 0);
}
