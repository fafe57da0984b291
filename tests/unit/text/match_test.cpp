// SPDX-License-Identifier: Apache-2.0
#include "text/match.h"

#include <doctest/doctest.h>

using namespace compmond;

TEST_CASE("match: the case of ASCII letters does not count, any other byte does") {
  CHECK(text::lower("AZaz@[É") == "azaz@[É");
  CHECK(text::same("Call Tree", "call tree"));
  CHECK_FALSE(text::same("Map", "Maps"));
  CHECK_FALSE(text::same("é", "É"));
  CHECK_FALSE(text::same("@", "`"));  // 32 apart as letters are
}

TEST_CASE("match: a part is found in whatever case, and an empty one everywhere") {
  CHECK(text::contains("FileEncrypter", "ENCR"));
  CHECK(text::contains("FileEncrypter", "filee"));
  CHECK_FALSE(text::contains("FileReader", "encr"));
  CHECK(text::contains("", ""));
  CHECK_FALSE(text::contains("", "a"));
}

TEST_CASE("match: a leaf is what is behind the last slash") {
  CHECK(text::leaf("A/B/C") == "C");
  CHECK(text::leaf("A") == "A");
  CHECK(text::leaf("/usr/lib/").empty());
  CHECK(text::leaf("").empty());
}

TEST_CASE("match: a path lies inside of itself and of what stands before a slash") {
  CHECK(text::inside("A", "A"));
  CHECK(text::inside("A/B/C", "A/B"));
  CHECK_FALSE(text::inside("A/Bee", "A/B"));
  CHECK_FALSE(text::inside("A", "A/B"));
}
