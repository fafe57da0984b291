// SPDX-License-Identifier: Apache-2.0
#include "text/table.h"

#include <doctest/doctest.h>

using namespace compmond;

TEST_CASE("table: columns are as wide as they need, the last without trailing blanks") {
  text::Table table({{"name", false}, {"n"}, {"", false}});
  table.add({"ä", "1,234", "[1]"});
  table.add({"longer", "5", ""});
  CHECK(table.lines() ==
        std::vector<std::string>{"name        n", "ä       1,234  [1]", "longer      5"});
}

TEST_CASE("table: names are made harmless") {
  text::Table table({{"name", false}});
  table.add({"a\x1b[31mb\n"});
  CHECK(table.lines().back() == "ab");
}

TEST_CASE("table: in a given width dispensable columns go first, then the name gives way") {
  text::Table table({{"name", false}, {"kept"}, {"gone", true, 0, 1}});
  table.add({"a name of some length", "1", "2"});
  const auto lines = table.lines({}, 18);
  CHECK(lines == std::vector<std::string>{"name          kept", "a name…ength     1"});
}

TEST_CASE("table: a single cell may take the whole line") {
  text::Table table({{"name", false}, {"kept"}, {"more"}});
  table.add({"a name of some length", "1", "2"});
  table.add({std::vector<text::Cell>{{"not a name at all, in words"}}});
  CHECK(table.lines({}, 26).back() == "not a name at…ll, in words");
}

TEST_CASE("table: a span takes the place of the cells, and a look paints and spells it") {
  text::Table table({{"name", false}, {"n"}});
  table.add(text::Row{{{"x"}}, "why → so"});
  const text::Look look{false, [](text::Ink ink, std::string_view text) {
                          return (ink == text::Ink::kAmber ? "!" : "") + std::string(text);
                        }};
  CHECK(table.lines(look, 40).back() == "x     !why > so");
}
