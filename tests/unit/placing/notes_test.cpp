// SPDX-License-Identifier: Apache-2.0
#include "placing/notes.h"

#include <doctest/doctest.h>

using namespace compmond;
using List = std::vector<std::string>;

TEST_CASE("notes: what is said of the log comes last, and replaces what was said before") {
  run::Notes notes;
  notes.add("first");
  notes.tell_of_others({"1 missing", "slow"});
  notes.add("second");
  CHECK(notes.all() == List{"first", "second", "1 missing", "slow"});
  notes.tell_of_others({"2 missing"});
  CHECK(notes.all() == List{"first", "second", "2 missing"});
}

TEST_CASE("notes: the first ones stay, and the log's find room all the same") {
  run::Notes notes;
  notes.tell_of_others({"missing"});
  for (int i = 0; i < 100; ++i) notes.add(std::to_string(i));
  CHECK(notes.all().size() == 21);
  CHECK(notes.all()[19] == "19");
  CHECK(notes.all().back() == "missing");
}
