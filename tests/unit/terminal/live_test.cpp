// SPDX-License-Identifier: Apache-2.0
#include "terminal/live.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstdlib>

using namespace compmond;

TEST_CASE("live table: that a terminal cannot be opened once more is known") {
  const Fd outer(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  REQUIRE(outer.valid());
  REQUIRE(::unlockpt(outer.get()) == 0);
  const Fd inner(::open(::ptsname(outer.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
  REQUIRE(inner.valid());
  ::setenv("TERM", "xterm", 1);
  CHECK(terminal::Live(inner.get()).on());
  CHECK(terminal::Live(inner.get()).failure() == 0);
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const rlimit none{0, before.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &none);
  const terminal::Live live(inner.get());
  ::setrlimit(RLIMIT_NOFILE, &before);
  CHECK_FALSE(live.on());
  CHECK(live.failure() == EMFILE);
}
