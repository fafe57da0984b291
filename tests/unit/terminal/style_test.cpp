// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <pty.h>
#include <unistd.h>

#include <cstdlib>

#include "base/fd.h"
#include "terminal/table.h"

using namespace compmond;
using namespace compmond::terminal;

namespace {

// A terminal of 132 by 43, and an environment of a UTF-8 user.
struct Terminal {
  Terminal() {
    winsize size{43, 132, 0, 0};
    int master = -1, slave = -1;
    REQUIRE(::openpty(&master, &slave, nullptr, nullptr, &size) == 0);
    outer.reset(master);
    inner.reset(slave);
    ::setenv("LC_ALL", "C.UTF-8", 1);
    ::setenv("TERM", "xterm-256color", 1);
    ::unsetenv("NO_COLOR");
  }
  Fd outer, inner;
};

}  // namespace

TEST_CASE("style: a terminal has its size, colours and Unicode") {
  const Terminal terminal;
  const Style style = style_of(terminal.inner.get());
  CHECK(style.width == 132);
  CHECK(style.height == 43);
  CHECK(style.colour);
  CHECK(style.unicode);
}

TEST_CASE("style: NO_COLOR takes the colours and nothing else") {
  const Terminal terminal;
  ::setenv("NO_COLOR", "1", 1);
  CHECK_FALSE(style_of(terminal.inner.get()).colour);
  CHECK(style_of(terminal.inner.get()).unicode);
  ::setenv("NO_COLOR", "", 1);
  CHECK(style_of(terminal.inner.get()).colour);
}

TEST_CASE("style: a dumb terminal gets plain ASCII") {
  const Terminal terminal;
  ::setenv("TERM", "dumb", 1);
  CHECK_FALSE(style_of(terminal.inner.get()).colour);
  CHECK_FALSE(style_of(terminal.inner.get()).unicode);
}

TEST_CASE("style: the locale decides about Unicode, LC_ALL before LC_CTYPE before LANG") {
  const Terminal terminal;
  ::setenv("LC_ALL", "", 1);
  ::setenv("LC_CTYPE", "de_DE.utf8", 1);
  ::setenv("LANG", "C", 1);
  CHECK(style_of(terminal.inner.get()).unicode);
  ::setenv("LC_ALL", "C", 1);
  CHECK_FALSE(style_of(terminal.inner.get()).unicode);
}

TEST_CASE("style: a pipe has no colours, no height limit and the default width") {
  const Terminal terminal;
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const Fd read_end(ends[0]), write_end(ends[1]);
  const Style style = style_of(write_end.get());
  CHECK_FALSE(style.colour);
  CHECK(style.height == 0);
  CHECK(style.width == 100);
}
