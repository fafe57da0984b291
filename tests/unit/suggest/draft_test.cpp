// SPDX-License-Identifier: Apache-2.0
#include "suggest/draft.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "small_programs.h"

namespace compmond::suggest {
namespace {

std::vector<std::string> patterns(const DraftComponent& component) {
  std::vector<std::string> out;
  for (const DraftOperation& one : component.operations) out.push_back(one.pattern);
  return out;
}

using Patterns = std::vector<std::string>;

}  // namespace

TEST_CASE("draft: overloads are one operation") {
  SmallProgram app;
  app.add("db::read");
  app.program().functions.push_back(app.program().functions.back());
  app.program().functions.back().symbol = "_Zother";
  app.program().functions.back().vaddr += 0x10;
  Evidence evidence;
  evidence.samples = evidence.cpu_samples = 100;
  evidence.nodes = {{StackNode::kNobody, 0, 6e8, 0}, {StackNode::kNobody, 1, 4e8, 0}};
  const Draft draft = draft_of("app", app.program(), evidence);
  REQUIRE(draft.components.size() == 1);
  CHECK(patterns(draft.components[0]) == Patterns{"db::read"});
}

TEST_CASE("draft: a name that would be a pattern is written raw") {
  SmallProgram app;
  for (const char* name : {"db::Map<char*>::get", "db::operator*", "db::read"}) app.add(name);
  Stacks stacks(app);
  stacks.cpu({"db::Map<char*>::get"}, 30);
  stacks.cpu({"db::operator*"}, 40);
  stacks.cpu({"db::read"}, 30);
  std::vector<std::string> all;
  for (const auto& component : draft_of("app", app.program(), stacks.evidence()).components)
    for (const auto& one : component.operations) all.push_back(one.pattern);
  std::ranges::sort(all);
  CHECK(all == Patterns{"_Z0", "_Z1", "db::read"});
}

TEST_CASE("draft: components of libraries name their file, and files their builds") {
  SmallProgram app;
  const uint32_t library = app.add_image("/opt/app/libcart.so.1");
  app.program().images[library].build_id = "cd34";
  app.add("cart_add", 100, library);
  Stacks stacks(app);
  stacks.cpu({"serve"}, 50);
  stacks.cpu({"cart_add"}, 60);
  const Draft draft = draft_of("app", app.program(), stacks.evidence());
  REQUIRE(draft.components.size() == 2);
  CHECK(draft.components[0].image == "libcart.so.1");
  CHECK(draft.components[1].image.empty());
  CHECK(draft.build_ids ==
        std::map<std::string, std::string>{{"app", "ab12"}, {"libcart.so.1", "cd34"}});
}

TEST_CASE("draft: shares are of all samples, and the heaviest component is first") {
  SmallProgram app;
  Stacks stacks(app);
  stacks.cpu({"net_get"}, 10);
  stacks.cpu({"net_put"}, 10);
  stacks.cpu({"db_read"}, 60);
  stacks.cpu({"?"}, 20);
  stacks.waiting({"db_read"}, 100);
  const Draft draft = draft_of("app", app.program(), stacks.evidence());
  REQUIRE(!draft.components.empty());
  CHECK(draft.components[0].name == "db_read");
  CHECK(draft.components[0].cpu_share == doctest::Approx(0.6));
  CHECK(draft.components[0].waiting_share == doctest::Approx(1));
  CHECK(draft.components[0].operations[0].cpu_share == doctest::Approx(0.6));
  CHECK(draft.named_share == doctest::Approx(0.8));
}

TEST_CASE("draft: what could not be seen is told") {
  SmallProgram app;
  app.program().images[0].stripped = true;
  Stacks stacks(app);
  stacks.cpu({"db_read"}, 80);
  stacks.cpu({"?"}, 20);
  const Draft draft = draft_of("app", app.program(), stacks.evidence());
  CHECK(draft.unseen == Patterns{"functions of app that it does not export, as it is stripped",
                                 "20 % of the time on CPU, which no function with a name is in"});
}

TEST_CASE("draft: without samples libraries of the system are told to be unseen") {
  SmallProgram app;
  app.add("huge_thing", 100'000, app.add_image("/usr/lib/libhuge.so.1"));
  app.add("db_read");
  const Draft draft = draft_of("app", app.program(), {});
  REQUIRE(draft.components.size() == 1);
  CHECK(draft.components[0].image.empty());
  CHECK(draft.unseen ==
        Patterns{"libraries of the system: only samples tell what of them is used"});
}

TEST_CASE("draft: there are no more components and operations than asked for") {
  SmallProgram app;
  Stacks stacks(app);
  for (const char* name : {"a_1", "a_2", "a_3", "b_1", "b_2", "b_3", "c_1", "c_2", "d_1", "e_1"})
    stacks.cpu({name}, 10);
  const Draft draft =
      draft_of("app", app.program(), stacks.evidence(), {.components = 4, .operations = 2});
  CHECK(draft.components.size() <= 4);
  for (const DraftComponent& one : draft.components) CHECK(one.operations.size() <= 2);
}

TEST_CASE(
    "draft: the innermost of what is on all stacks may be called again and again: counting tells") {
  SmallProgram app;
  Stacks stacks(app);
  stacks.cpu({"?", "main", "run_loop", "serve"}, 20);
  stacks.cpu({"?", "main", "run_loop", "serve", "db_read"}, 80);
  const Draft draft = draft_of("app", app.program(), stacks.evidence());
  REQUIRE(draft.components.size() == 2);
  CHECK(patterns(draft.components[0]) == Patterns{"db_read"});
  CHECK_FALSE(draft.components[0].operations[0].may_never_end);
  CHECK(patterns(draft.components[1]) == Patterns{"serve"});
  CHECK(draft.components[1].operations[0].may_never_end);
  CHECK(draft.components[1].cpu_share == doctest::Approx(0.2));
  CHECK(draft.named_share == doctest::Approx(0.8));
}

TEST_CASE("draft: main is no operation, and of nothing nothing is drafted") {
  SmallProgram app;
  Stacks stacks(app);
  stacks.cpu({"?", "main"}, 100);
  CHECK(draft_of("app", app.program(), stacks.evidence()).components.empty());
  CHECK(draft_of("app", SmallProgram().program(), {}).components.empty());
}

TEST_CASE("draft: a process may be called anything") {
  CHECK(draft_of("  ", SmallProgram().program(), {}).name == "program");
  CHECK(draft_of("a\x1b[1mb", SmallProgram().program(), {}).name == "ab");
  CHECK(draft_of(std::string(400, 'x'), SmallProgram().program(), {}).name.size() <= 200);
}

}  // namespace compmond::suggest
