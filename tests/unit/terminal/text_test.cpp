// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "base/numbers.h"
#include "terminal/paint.h"
#include "terminal/table.h"

using namespace compmond;
using namespace compmond::terminal;

TEST_CASE("durations have three significant digits and a unit for people") {
  CHECK(duration_text(0) == "0 ns");
  CHECK(duration_text(870) == "870 ns");
  CHECK(duration_text(999) == "999 ns");
  CHECK(duration_text(1'000) == "1.00 µs");
  CHECK(duration_text(12'400) == "12.4 µs");
  CHECK(duration_text(500'000'000) == "500 ms");
  CHECK(duration_text(1'300'000'000) == "1.30 s");
  CHECK(duration_text(90'000'000'000) == "90.0 s");
  CHECK(duration_text(150'000'000'000) == "2.50 min");
  CHECK(duration_text(9'000'000'000'000) == "2.50 h");
  CHECK(duration_text(3 * 86'400'000'000'000ull) == "3.00 d");
  CHECK(duration_text(UINT64_MAX) == "213504 d");
}

TEST_CASE("durations that round up to the next unit are shown in it") {
  CHECK(duration_text(9'996) == "10.0 µs");
  CHECK(duration_text(99'960) == "100 µs");
  CHECK(duration_text(999'499) == "999 µs");
  CHECK(duration_text(999'500) == "1.00 ms");
  CHECK(duration_text(999'999'999) == "1.00 s");
}

TEST_CASE("counts have their thousands separated") {
  CHECK(count_text(0) == "0");
  CHECK(count_text(999) == "999");
  CHECK(count_text(1'000) == "1,000");
  CHECK(count_text(1'234'567) == "1,234,567");
  CHECK(count_text(UINT64_MAX) == "18,446,744,073,709,551,615");
}

TEST_CASE("what is above zero is never shown as zero") {
  CHECK(percent_text(0) == "0 %");
  CHECK(percent_text(0.0001) == "<0.01 %");
  CHECK(percent_text(0.84) == "0.84 %");
  CHECK(percent_text(99.96) == "100 %");
  CHECK(percent_text(1234) == "1234 %");
  CHECK(rate_text(0.001) == "<0.01");
  CHECK(rate_text(12.34) == "12.3");
  CHECK(rate_text(123'456) == "123,456");
  CHECK(hotness_text(0) == "0");
  CHECK(hotness_text(0.2) == "<1");
  CHECK(hotness_text(99.6) == "100");
  CHECK(hotness_text(1e300) == "100");
  CHECK(hotness_text(-1) == "0");
}

TEST_CASE("clean: escape sequences and control characters go, other text stays") {
  CHECK(clean("plain äöü 日本") == "plain äöü 日本");
  CHECK(clean("a\x1b[31;1mred\x1b[0mb") == "aredb");
  CHECK(clean("a\x1b]0;title\ab") == "ab");
  CHECK(clean("a\x1b]8;;http://x\x1b\\b") == "ab");
  CHECK(clean("a\x1b]never ends") == "a]never ends");
  CHECK(clean("a\x1b[12;") == "a[12;");
  CHECK(clean("a\x1b"
              "cb") == "ab");
  CHECK(clean("a\r\n\t\x7f\b\x1b") == "a");
  CHECK(clean("a\xc2\x9b"
              "31mb") == "a31mb");
  CHECK(clean("a\u202eb\u200bc\u2066d") == "abcd");
  CHECK(clean(std::string("a\0b", 3)) == "ab");
}

TEST_CASE("clean: ill-formed UTF-8 becomes the replacement character") {
  CHECK(clean("a\xff"
              "b") == "a\uFFFDb");
  CHECK(clean("\xc3") == "\uFFFD");
  CHECK(clean("\xc0\x80") == "\uFFFD\uFFFD");
  CHECK(clean("\xf5\x80\x80\x80").find('\xf5') == std::string::npos);
}

TEST_CASE("clean: whatever the bytes, no control byte is left") {
  CHECK(rc::check([](const std::string& bytes) {
    for (char c : clean(bytes)) RC_ASSERT(uint8_t(c) >= 0x20 && uint8_t(c) != 0x7f);
  }));
}

TEST_CASE("ellipsized: the middle gives way, both ends stay") {
  CHECK(ellipsized("FileEncrypter", 13, "…") == "FileEncrypter");
  CHECK(ellipsized("FileEncrypter", 9, "…") == "File…pter");
  CHECK(ellipsized("FileEncrypter", 8, "..") == "Fil..ter");
  CHECK(ellipsized("äöüäöüäöü", 5, "…") == "äö…öü");
  CHECK(ellipsized("abc", 1, "…") == "a");
  CHECK(ellipsized("abc", 0, "…") == "");
  CHECK(cut("a sentence that ends", 12, "…") == "a sentence …");
}

TEST_CASE("padded: to the left or right, counted in characters") {
  CHECK(padded("µs", 4, true) == "  µs");
  CHECK(padded("µs", 4, false) == "µs  ");
  CHECK(padded("long", 2, true) == "long");
}

TEST_CASE("ascii: known marks have likenesses, anything else a question mark") {
  CHECK(ascii("12 µs · a → b … ä") == "12 us - a > b ? ?");
}

TEST_CASE("colour steps follow c(h) = h²/100 · 255/100 in six steps") {
  CHECK(heat_step(0) == 0);
  CHECK(heat_step(40) == 0);
  CHECK(heat_step(41) == 1);
  CHECK(heat_step(57.7) == 1);
  CHECK(heat_step(57.8) == 2);
  CHECK(heat_step(71) == 3);
  CHECK(heat_step(82) == 4);
  CHECK(heat_step(92) == 5);
  CHECK(heat_step(100) == 5);
  CHECK(heat_step(1e9) == 5);
  CHECK(heat_step(-1) == 0);
}

TEST_CASE("bars grow in eighths and show the smallest hotness") {
  const Style style;
  CHECK(bar(style, 0, 4) == "");
  CHECK(bar(style, 0.001, 4) == "▏");
  CHECK(bar(style, 50, 4) == "██");
  CHECK(bar(style, 100, 4) == "████");
  CHECK(bar(style, 500, 4) == "████");
  Style plain;
  plain.unicode = false;
  CHECK(bar(plain, 50, 4) == "##");
}

TEST_CASE("wrapped: breaks at blanks, and cuts a word that is wider than the line") {
  const Style style;
  CHECK(wrapped(style, {"one two three"}, 2, 9) ==
        std::vector<std::string>{"  one two", "  three"});
  CHECK(wrapped(style, {"abcdefghijkl"}, 0, 5) == std::vector<std::string>{"ab…kl"});
  CHECK(wrapped(style, {""}, 0, 5).empty());
}
