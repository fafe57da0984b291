// SPDX-License-Identifier: Apache-2.0
#include "suggest/edit.h"

#include <doctest/doctest.h>

namespace compmond::suggest {
namespace {

Draft of(std::initializer_list<const char*> names) {
  Draft out;
  for (const char* name : names) {
    DraftComponent one{.name = name};
    one.operations.push_back({.pattern = std::string(name) + "_run"});
    one.cpu_share = 0.2;
    one.functions = 2;
    out.components.push_back(std::move(one));
  }
  return out;
}

std::string names(const Draft& draft) {
  std::string out;
  for (const DraftComponent& one : draft.components) out += (out.empty() ? "" : ",") + one.name;
  return out;
}

std::string after(const char* line) {
  Draft draft = of({"a", "b", "c"});
  const auto done = edit(draft, line);
  REQUIRE(done.has_value());
  CHECK(*done == Edited::kChanged);
  return names(draft);
}

// Why it cannot be done; nothing has changed then.
std::string refused(const char* line, Draft draft = of({"a", "b", "c"})) {
  const std::string before = names(draft);
  const auto done = edit(draft, line);
  REQUIRE_FALSE(done.has_value());
  CHECK(done.error().code == Exit::kUsage);
  CHECK(names(draft) == before);
  return done.error().why;
}

}  // namespace

TEST_CASE("edit: an empty line accepts, quit gives up") {
  Draft draft = of({"a"});
  CHECK(*edit(draft, "") == Edited::kAccepted);
  CHECK(*edit(draft, " \t\r") == Edited::kAccepted);
  CHECK(*edit(draft, "quit") == Edited::kQuit);
}

TEST_CASE("edit: drop, rename and merge do what they say") {
  CHECK(after("drop 2") == "a,c");
  CHECK(after("rename 2 the cart \r") == "a,the cart,c");
  CHECK(after("rename 2 b") == "a,b,c");
  CHECK(after("merge 3 1") == "b,c");
  CHECK(after("merge 1 2 3") == "a");
  CHECK(after("merge 2 1 2") == "b,c");
}

TEST_CASE("edit: one of two has the operations and the shares of both") {
  Draft draft = of({"a", "b"});
  REQUIRE(edit(draft, "merge 1 2").has_value());
  const DraftComponent& one = draft.components[0];
  REQUIRE(one.operations.size() == 2);
  CHECK(one.operations[1].pattern == "b_run");
  CHECK(one.cpu_share == doctest::Approx(0.4));
  CHECK(one.functions == 4);
}

TEST_CASE("edit: what cannot be done is refused with the reason") {
  CHECK(refused("drop 4") == "'4' is no component's number, 1 to 3");
  CHECK(refused("drop 0") == "'0' is no component's number, 1 to 3");
  CHECK(refused("drop 2x") == "'2x' is no component's number, 1 to 3");
  CHECK(refused("drop -1") == "'-1' is no component's number, 1 to 3");
  CHECK(refused("rename 9 x") == "'9' is no component's number, 1 to 3");
  CHECK(refused("rename 1 b") == "component 2 is called 'b', too");
  CHECK(refused("rename 1 a/b") ==
        "a name has no '/' and no control characters, and at most 200 bytes");
  CHECK(refused("rename 1 a\x1b") ==
        "a name has no '/' and no control characters, and at most 200 bytes");
  CHECK(refused("merge 1") == "it takes two components to be one");
  CHECK(refused("merge 1 1") == "it takes two components to be one");
  CHECK(refused("merge 1 7") == "'7' is no component's number, 1 to 3");
  CHECK(refused("drop 1", of({"a"})) == "it is the only component");
  for (const char* line : {"drop", "drop 1 2", "rename 1", "merge", "quit now", "help"})
    CHECK(refused(line) == "nobody knows what that means");
}

TEST_CASE("edit: components of different files cannot be one") {
  Draft draft = of({"a", "b"});
  draft.components[1].image = "libcart.so";
  CHECK(refused("merge 1 2", draft) == "'a' and 'b' are in different files");
}

}  // namespace compmond::suggest
