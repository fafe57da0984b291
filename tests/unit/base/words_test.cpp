// SPDX-License-Identifier: Apache-2.0
#include "base/words.h"

#include <doctest/doctest.h>

namespace compmond {
namespace {

enum class Level { kOperation, kHost, kNameless };
constexpr auto words(Level) {
  return word_table<Level>({{Level::kOperation, "operation"}, {Level::kHost, "host"}});
}

}  // namespace

TEST_CASE("words: every word leads back to its value, no other text does") {
  CHECK(std::string(to_text(Level::kHost)) == "host");
  CHECK(from_text<Level>("operation") == Level::kOperation);
  CHECK_FALSE(from_text<Level>("Host").has_value());
  CHECK_FALSE(from_text<Level>("").has_value());
  CHECK(std::string(to_text(Level::kNameless)).empty());
  CHECK(all_words<Level>() == std::vector<std::string>{"operation", "host"});
}

TEST_CASE("words: one that the enum does not have is kept, and equals none of its values") {
  const Word<Level> known("host"), unknown("galaxy");
  CHECK(known == Level::kHost);
  CHECK(known == Word<Level>(Level::kHost));
  CHECK(unknown != Level::kHost);
  CHECK(unknown != Level::kOperation);
  CHECK(unknown.text() == "galaxy");
  CHECK(unknown != Word<Level>("cluster"));
  CHECK(Word<Level>().text().empty());
}

}  // namespace compmond
