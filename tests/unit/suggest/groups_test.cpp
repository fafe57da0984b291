// SPDX-License-Identifier: Apache-2.0
#include "suggest/groups.h"

#include <doctest/doctest.h>

#include "small_programs.h"

namespace compmond::suggest {
namespace {

std::string scopes(const std::vector<Group>& groups) {
  std::string out;
  for (const Group& group : groups)
    out += (out.empty() ? "" : " ") + (group.scope.empty() ? "(rest)" : group.scope);
  return out;
}

// Shares of the stacks, which nobody is on together.
std::string grouped(std::initializer_list<std::pair<const char*, unsigned>> own, size_t most = 12) {
  SmallProgram app;
  Stacks stacks(app);
  for (const auto& [function, samples] : own) stacks.cpu({function}, samples);
  return scopes(groups_of(app.program(), stacks.evidence(), most));
}

}  // namespace

TEST_CASE(
    "groups: names that begin alike are parted where parts are worth it, the heaviest first") {
  CHECK(grouped(
            {{"db_read_page", 300}, {"db_read_row", 300}, {"net_send", 200}, {"net_poll", 200}}) ==
        "db_read_page db_read_row net_poll net_send");
}

TEST_CASE("groups: a word that nearly all have is gone on from") {
  CHECK(grouped({{"app::db::read", 400}, {"app::db::write", 200}, {"app::net::send", 400}}) ==
        "app::db app::net");
}

TEST_CASE("groups: one function that has nearly all of it is in a group with its neighbours") {
  CHECK(grouped({{"app::work", 970}, {"app::rest", 30}}) == "app");
  CHECK(grouped({{"hash_block", 990}, {"hash_end", 5}, {"main_loop", 5}}) == "hash");
}

TEST_CASE(
    "groups: what is lighter than a fiftieth is in none, a function alone than a twenty-fifth") {
  CHECK(grouped({{"a::x::f", 500}, {"b::x::f", 481}, {"c::x::f", 10}, {"c::x::g", 9}}) == "a b");
  CHECK(grouped({{"db_read", 500}, {"db_sort", 471}, {"net_send", 29}}) == "db_read db_sort");
}

TEST_CASE("groups: there are no more than asked for") {
  const std::initializer_list<std::pair<const char*, unsigned>> own = {
      {"a::f", 30}, {"a::g", 30}, {"b::f", 30}, {"b::g", 30}, {"c::f", 30}, {"c::g", 30}};
  CHECK(grouped(own, 12) == "a b c");
  CHECK(grouped(own, 2) == "(rest) a");
  CHECK(grouped(own, 1) == "(rest)");
}

TEST_CASE(
    "groups: parts of a namespace that are on the stack are told apart, whoever does the work") {
  SmallProgram app;
  for (const char* name : {"fh::Server::stop", "fh::Files::close"}) app.add(name);
  Stacks stacks(app);
  stacks.cpu({"fh::Server::handle", "fh::Files::open", "fh::work"}, 100);
  CHECK(scopes(groups_of(app.program(), stacks.evidence(), 12)) == "fh fh::Files fh::Server");
}

TEST_CASE("groups: time with a part on the stack counts once, however often the part is on it") {
  SmallProgram app;
  Stacks stacks(app);
  stacks.cpu({"a::walk", "b::call", "a::walk", "b::call", "a::step"}, 10);
  stacks.cpu({"c::f"}, 45);
  stacks.cpu({"c::g"}, 45);
  CHECK(scopes(groups_of(app.program(), stacks.evidence(), 12)) == "c a");
}

TEST_CASE("groups: every function is in one group at most, and in that of its longest scope") {
  SmallProgram app;
  app.add("fh::Server::stop");
  Stacks stacks(app);
  stacks.cpu({"fh::Server::handle"}, 50);
  stacks.cpu({"fh::work"}, 50);
  const auto groups = groups_of(app.program(), stacks.evidence(), 12);
  REQUIRE(groups.size() == 2);
  CHECK(functions_of(app.program(), groups[0].functions) == "fh::work");
  CHECK(functions_of(app.program(), groups[1].functions) == "fh::Server::stop fh::Server::handle");
  CHECK(groups[0].share == doctest::Approx(0.5));
}

TEST_CASE("groups: files are not mixed") {
  SmallProgram app;
  const uint32_t library = app.add_image("/opt/app/libcart.so");
  app.add("cart_add", 100, library);
  app.add("cart_sum", 100, library);
  Stacks stacks(app);
  stacks.cpu({"cart_show"}, 30);
  stacks.cpu({"cart_hide"}, 30);
  stacks.cpu({"cart_add"}, 25);
  stacks.cpu({"cart_sum"}, 25);
  const auto groups = groups_of(app.program(), stacks.evidence(), 2);
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].image == 0);
  CHECK(groups[1].image == library);
}

TEST_CASE("groups: without samples the size of the code decides, libraries of the system aside") {
  SmallProgram app;
  const uint32_t system = app.add_image("/usr/lib/libhuge.so.1"),
                 own = app.add_image("/opt/app/libcart.so");
  app.add("huge_thing", 100'000, system);
  app.add("cart_add", 600, own);
  app.add("cart_sum", 600, own);
  app.add("db::read", 400);
  app.add("db::write", 400);
  app.add("net::send", 20);
  CHECK(scopes(groups_of(app.program(), {}, 2)) == "cart db");
}

TEST_CASE("groups: a program without functions has none") {
  SmallProgram app;
  CHECK(groups_of(app.program(), {}, 12).empty());
}

}  // namespace compmond::suggest
