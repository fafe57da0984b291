// SPDX-License-Identifier: Apache-2.0
#include "text/utf8.h"

#include <doctest/doctest.h>

using namespace compmond;

TEST_CASE("utf8: one code point at a time, an ill-formed byte alone") {
  CHECK(text::front("é!").code == 0xe9);
  CHECK(text::front("é!").bytes == 2);
  CHECK(text::front("😀").code == 0x1f600);
  CHECK(text::front("😀").bytes == 4);
  for (const char* bad : {"\xff", "\xc3", "\xc3(", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\x80"}) {
    CHECK_FALSE(text::front(bad).well_formed);
    CHECK(text::front(bad).bytes == 1);
  }
  CHECK(text::front("\uFFFD").well_formed);
}

TEST_CASE("utf8: a code point that is whole counts, whatever is cut off behind it") {
  CHECK(text::front("a\xf0\x9f\x98").well_formed);
  CHECK(text::front("é\xe2\x82").bytes == 2);
}
