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

TEST_CASE("notes: the same of several processes is one, with their number and the first") {
  run::Notes notes;
  notes.add("first");
  for (const pid_t pid : {12, 12, 14, 15}) notes.add_of("calls of ", pid, " {} are not counted");
  notes.add_of("calls of ", 12, " are late");
  CHECK(notes.all() == List{"first", "calls of process 12 and 2 others {} are not counted",
                            "calls of process 12 are late"});
}

TEST_CASE("notes: however many there are, one of several processes counts on") {
  run::Notes notes;
  notes.add_of("", 1, " came");
  for (int i = 0; i < 100; ++i) notes.add_of("", i, std::to_string(i));
  notes.add_of("", 2, " came");
  CHECK(notes.all().size() == 20);
  CHECK(notes.all()[0] == "process 1 and 1 other came");
}

TEST_CASE("notes: one that is replaced stays where it is, and is added where it is not there") {
  run::Notes notes;
  notes.replace("", "1 of them");
  notes.add("second");
  notes.replace("1 of them", "2 of them");
  CHECK(notes.all() == List{"2 of them", "second"});
}
