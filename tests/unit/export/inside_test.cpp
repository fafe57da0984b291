// SPDX-License-Identifier: Apache-2.0
#include "export/inside.h"

#include <doctest/doctest.h>

#include "case.h"

using namespace compmond;
using namespace compmond::exporting::test;
using nlohmann::json;
using snapshot::Inside;
using snapshot::Whose;

namespace {

Inside inside_of_two() {
  Inside out;
  out.functions = {{"f(int; char)", "/bin/p", 16, Whose::kOwn, {}, {}},
                   {"", "", std::nullopt, Whose::kKernel, {}, {}},
                   {kEvil, "/bin/p", 32, Whose::kOwn, {}, {}}};
  out.callees = {{-1, -1, 0, 0, 60, 7, 9},
                 {0, 0, 10.4, 7, 60, 7, 9},
                 {1, 1, 49.6, 0, 49.6, 0, 5},
                 {1, 2, 0, 0, 0, 0, 0}};
  out.off_cpu_share = 1;
  return out;
}

std::string folded(const Inside& inside) {
  StringOut out;
  exporting::write_inside_folded(out, inside);
  return out.text();
}

json speedscope(const Inside& inside) {
  StringOut out;
  exporting::write_inside_speedscope(out, inside, "Worker");
  return json::parse(out.text());
}

}  // namespace

TEST_CASE("export: folded stacks of an inside are its paths, waiting at their ends") {
  CHECK(folded(inside_of_two()) ==
        "f(int, char) 10\nf(int, char);(waiting) 7\nf(int, char);[kernel] 50\n");
  CHECK(folded(Inside()).empty());
}

TEST_CASE("export: functions of one name make one line of folded stacks") {
  Inside inside = inside_of_two();
  inside.functions[2].name = inside.functions[0].name;
  inside.callees.push_back({0, 2, 5, 1, 5, 1, 1});
  CHECK(folded(inside) == "f(int, char) 15\nf(int, char);(waiting) 8\nf(int, char);[kernel] 50\n");
}

TEST_CASE("export: speedscope has what was on a CPU, and what waited if that was looked at") {
  Inside inside = inside_of_two();
  const json both = speedscope(inside);
  CHECK(both["shared"]["frames"][0]["file"] == "/bin/p");
  CHECK(both["shared"]["frames"][1]["name"] == "[kernel]");
  REQUIRE(both["profiles"].size() == 2);
  const json& on_cpu = both["profiles"][0];
  CHECK(on_cpu["name"] == "Worker, on CPU");
  CHECK(on_cpu["samples"] == json::parse("[[0],[0,1]]"));
  CHECK(on_cpu["weights"] == json::parse("[10,50]"));
  CHECK(on_cpu["endValue"] == 60);
  CHECK(both["profiles"][1]["samples"] == json::parse("[[0]]"));
  inside.off_cpu_share = 0;
  CHECK(speedscope(inside)["profiles"].size() == 1);
}
