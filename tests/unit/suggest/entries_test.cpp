// SPDX-License-Identifier: Apache-2.0
#include "suggest/entries.h"

#include <doctest/doctest.h>

#include "small_programs.h"

namespace compmond::suggest {
namespace {

Group group(SmallProgram& app, const std::string& scope,
            std::initializer_list<const char*> functions) {
  Group out{scope, 0, {}, 0};
  for (const char* name : functions) out.functions.push_back(app.number_of(name));
  return out;
}

std::string entries(const Program& program, const Part& part) {
  std::vector<uint32_t> out;
  for (const Entry& one : part.entries) out.push_back(one.function);
  return functions_of(program, out);
}

}  // namespace

TEST_CASE("entries: a group is entered where a stack comes into it from another, or from nobody") {
  SmallProgram app;
  Stacks stacks(app);
  stacks.cpu({"net_get", "db_read", "db_seek"}, 60);
  stacks.cpu({"net_get", "net_send", "db_write"}, 40);
  const std::vector<Group> groups = {group(app, "net", {"net_get", "net_send"}),
                                     group(app, "db", {"db_read", "db_seek", "db_write"})};
  const auto parts = parts_of(app.program(), stacks.evidence(), groups, 5);
  CHECK(entries(app.program(), parts[0]) == "net_get");
  CHECK(entries(app.program(), parts[1]) == "db_read db_write");
}

TEST_CASE("entries: what has no name and what is in no group belongs to its caller's") {
  SmallProgram app;
  Stacks stacks(app);
  stacks.cpu({"db_read", "?", "helper", "db_seek", "?"}, 50);
  stacks.waiting({"db_read", "helper"}, 10);
  const auto parts =
      parts_of(app.program(), stacks.evidence(), {group(app, "db", {"db_read", "db_seek"})}, 5);
  CHECK(entries(app.program(), parts[0]) == "db_read");
  CHECK(parts[0].own.cpu_ns == doctest::Approx(50e7));
  CHECK(parts[0].own.waiting_ns == doctest::Approx(10e7));
}

TEST_CASE("entries: those that hardly any time goes through are left out") {
  SmallProgram app;
  Stacks stacks(app);
  stacks.cpu({"db_read"}, 98);
  stacks.cpu({"db_open"}, 1);
  stacks.cpu({"db_close"}, 1);
  const auto parts = parts_of(app.program(), stacks.evidence(),
                              {group(app, "db", {"db_read", "db_open", "db_close"})}, 5);
  CHECK(entries(app.program(), parts[0]) == "db_read");
}

TEST_CASE(
    "entries: without samples they are what others call, and what nobody does that others may") {
  SmallProgram app;
  for (const char* name : {"main", "db_read", "db_write", "db_seek", "db_unused"}) app.add(name);
  app.add("db_tiny", 8);
  app.call("main", "db_read");
  app.call("main", "db_tiny");
  app.call("db_read", "db_seek");
  app.call("db_write", "db_seek");
  const auto parts =
      parts_of(app.program(), {},
               {group(app, "db", {"db_read", "db_write", "db_seek", "db_unused", "db_tiny"})}, 5);
  const std::string found = entries(app.program(), parts[0]);
  CHECK(found.find("db_read") != std::string::npos);
  CHECK(found.find("db_write") != std::string::npos);
  CHECK(found.find("db_unused") != std::string::npos);
  CHECK(found.find("db_seek") == std::string::npos);
  CHECK(found.find("db_tiny") == std::string::npos);
}

TEST_CASE("entries: without samples the first leads to the most code, and main is none") {
  SmallProgram app;
  for (const char* name : {"main", "small", "large", "far"}) app.add(name);
  app.call("main", "small");
  app.call("large", "far");
  const auto all = group(app, "", {"main", "small", "large", "far"});
  CHECK(entries(app.program(), parts_of(app.program(), {}, {all}, 1)[0]) == "large");
}

TEST_CASE("entries: what heavy ones of a rest lead to is taken apart, as long as there is room") {
  SmallProgram app;
  Stacks stacks(app);
  stacks.cpu({"plan_query", "inner"}, 50);
  stacks.cpu({"parse_query", "inner"}, 40);
  stacks.cpu({"log_line"}, 10);
  const auto rest = [&] {
    return std::vector{group(app, "", {"plan_query", "parse_query", "log_line", "inner"})};
  };
  auto groups = rest();
  auto parts = parts_of(app.program(), stacks.evidence(), groups, 5);
  take_apart(app.program(), stacks.evidence(), groups, parts, 12);
  REQUIRE(groups.size() == 3);
  CHECK(groups[1].scope == "plan_query");
  CHECK(entries(app.program(), parts[1]) == "plan_query");
  CHECK(parts[1].own.cpu_ns == doctest::Approx(50e7));
  CHECK(parts[0].own.cpu_ns == doctest::Approx(10e7));

  groups = rest();
  parts = parts_of(app.program(), stacks.evidence(), groups, 5);
  take_apart(app.program(), stacks.evidence(), groups, parts, 1);
  CHECK(groups.size() == 1);
}

TEST_CASE("entries: a group that its names tell of stays whole") {
  SmallProgram app;
  for (const char* name : {"other_a", "other_b", "other_c"}) app.add(name);
  Stacks stacks(app);
  stacks.cpu({"db_read"}, 50);
  stacks.cpu({"db_write"}, 50);
  std::vector groups = {group(app, "db", {"db_read", "db_write"})};
  auto parts = parts_of(app.program(), stacks.evidence(), groups, 5);
  take_apart(app.program(), stacks.evidence(), groups, parts, 12);
  CHECK(groups.size() == 1);
}

TEST_CASE("loops: functions on all stacks of a thread are nobody's") {
  SmallProgram app;
  Stacks stacks(app);
  stacks.cpu({"?", "main", "run_loop", "handle", "work"}, 60);
  stacks.waiting({"?", "main", "run_loop", "poll"}, 40);
  leave_out_loops(stacks.evidence());
  const auto& nodes = stacks.evidence().nodes;
  CHECK(nodes[1].function == StackNode::kNobody);
  CHECK(nodes[2].function == StackNode::kNobody);
  CHECK(nodes[3].function == int32_t(app.number_of("handle")));
}

TEST_CASE("loops: of few samples all may have it by chance") {
  SmallProgram app;
  Stacks stacks(app);
  stacks.cpu({"?", "handle"}, 9);
  leave_out_loops(stacks.evidence());
  CHECK(stacks.evidence().nodes[1].function == int32_t(app.number_of("handle")));
}

TEST_CASE("loops: a stack that does not begin where threads do was cut, and tells of none") {
  SmallProgram app;
  Stacks stacks(app);
  stacks.cpu({"handle", "work"}, 90);
  leave_out_loops(stacks.evidence());
  CHECK(stacks.evidence().nodes[0].function == int32_t(app.number_of("handle")));
}

TEST_CASE("times: time on CPU decides where there are enough samples of it") {
  SmallProgram app;
  Stacks some(app), many(app);
  some.cpu({"work"}, 49);
  some.waiting({"poll"}, 5000);
  many.cpu({"work"}, 50);
  many.waiting({"poll"}, 5000);
  CHECK_FALSE(decided_by_cpu(some.evidence()));
  CHECK(decided_by_cpu(many.evidence()));
}

}  // namespace compmond::suggest
