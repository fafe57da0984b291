// SPDX-License-Identifier: Apache-2.0
#include "text/clean.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

using namespace compmond;

TEST_CASE("clean: escape sequences and control characters go, other text stays") {
  CHECK(text::clean("plain äöü 日本") == "plain äöü 日本");
  CHECK(text::clean("a\x1b[31;1mred\x1b[0mb") == "aredb");
  CHECK(text::clean("a\x1b]0;title\ab") == "ab");
  CHECK(text::clean("a\x1b]8;;http://x\x1b\\b") == "ab");
  CHECK(text::clean("a\x1b]never ends") == "a]never ends");
  CHECK(text::clean("a\x1b[12;") == "a[12;");
  CHECK(text::clean("a\x1b"
                    "cb") == "ab");
  CHECK(text::clean("a\r\n\t\x7f\b\x1b") == "a");
  CHECK(text::clean("a\xc2\x9b"
                    "31mb") == "a31mb");
  CHECK(text::clean("a\u202eb\u200bc\u2066d") == "abcd");
  CHECK(text::clean(std::string("a\0b", 3)) == "ab");
}

TEST_CASE("clean: ill-formed UTF-8 becomes the replacement character") {
  CHECK(text::clean("a\xff"
                    "b") == "a\uFFFDb");
  CHECK(text::clean("\xc3") == "\uFFFD");
  CHECK(text::clean("\xc0\x80") == "\uFFFD\uFFFD");
  CHECK(text::clean("\xf5\x80\x80\x80").find('\xf5') == std::string::npos);
}

TEST_CASE("clean: whatever the bytes, no control byte is left") {
  CHECK(rc::check([](const std::string& bytes) {
    for (char c : text::clean(bytes)) RC_ASSERT(uint8_t(c) >= 0x20 && uint8_t(c) != 0x7f);
  }));
}

TEST_CASE("clean: what a surrogate or an overlong form hides is ill-formed") {
  CHECK(text::clean("\xed\xa0\x80") == "\uFFFD\uFFFD\uFFFD");
  CHECK(text::clean("\xe0\x80\x9b") == "\uFFFD\uFFFD\uFFFD");
  CHECK(text::printable("\xe0\x80\xaf") == "\\xe0\\x80\\xaf");
}

TEST_CASE("clean: what has no width or turns the direction counts as control") {
  for (const char* hidden : {"a\u200bb", "a\u2028b", "a\u202eb", "a\u2066b", "a\ufeffb", "a\tb"})
    CHECK(text::has_control(hidden));
  CHECK_FALSE(text::has_control("plain äöü 日本 \xff"));
}

TEST_CASE("clean: printable shows what would be gone, and cuts where a character ends") {
  CHECK(text::printable("a\x1b[0m\u202e\xff") == "a\\u001b[0m\\u202e\\xff");
  CHECK(text::printable("äöü", 4) == "äö…");
  CHECK(text::printable("äöü", 5) == "äö…");
  CHECK(text::in_quotes("a\nb") == "'a\\u000ab'");
}
