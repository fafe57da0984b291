// SPDX-License-Identifier: Apache-2.0
#include "suggest/component_names.h"

#include <doctest/doctest.h>

#include <set>

#include "small_programs.h"

namespace compmond::suggest {
namespace {

// Groups with entries.
struct Scene {
  SmallProgram app;
  std::vector<Group> groups = {};
  std::vector<Part> parts = {};

  void add(const std::string& scope, std::initializer_list<const char*> entries,
           uint32_t image = 0) {
    groups.push_back({scope, image, {}, 0});
    Part& part = parts.emplace_back();
    for (const char* one : entries) part.entries.push_back({.function = app.number_of(one)});
  }
  std::vector<std::string> names() { return component_names("app", app.program(), groups, parts); }
};

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("component names: the last word of a scope, or all of it where two have that word") {
  Scene scene;
  scene.add("fh::Server", {"fh::Server::run"});
  scene.add("a::Cache", {"a::Cache::get"});
  scene.add("b::Cache", {"b::Cache::get"});
  CHECK(scene.names() == Names{"Server", "a::Cache", "b::Cache"});
}

TEST_CASE("component names: words that many libraries have are not alone") {
  Scene scene;
  scene.add("fmt::detail", {"fmt::detail::write"});
  scene.add("shop::impl::detail", {"shop::impl::detail::f"});
  CHECK(scene.names() == Names{"fmt::detail", "shop::impl::detail"});
}

TEST_CASE("component names: what is left of a file is the program's or the library's") {
  Scene scene;
  const uint32_t library = scene.app.add_image("/opt/app/libcart.so.1.2");
  scene.add("", {"f", "g"});
  scene.add("", {"h"}, library);
  CHECK(scene.names() == Names{"app", "libcart"});
}

TEST_CASE("component names: with one entry those of C are called like it") {
  Scene scene;
  scene.add("Wait", {"WaitEventSetWait"});
  scene.add("heap", {"heap_insert", "heap_update"});
  CHECK(scene.names() == Names{"WaitEventSetWait", "heap"});
}

TEST_CASE("component names: the rest of what was parted is called like its only entry") {
  Scene scene;
  scene.add("fh", {"fh::encrypt"});
  scene.add("fh::Server", {"fh::Server::run"});
  CHECK(scene.names() == Names{"encrypt", "Server"});
}

TEST_CASE(
    "component names: no two are the same, none is longer than a spec takes, nor has what one "
    "refuses") {
  Scene scene;
  const uint32_t library = scene.app.add_image("/opt/app/libcart.so");
  scene.add("db", {"f", "g"});
  scene.add("db", {"h", "i"}, library);
  scene.add("db", {"j", "k"}, library);
  scene.add("app", {"l", "m"});
  scene.add("", {"n", "o"});
  scene.add("a/b\n" + std::string(300, 'x'), {"p", "q"});
  const auto names = scene.names();
  CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
  CHECK(names[0] == "db");
  CHECK(names[1] == "db (libcart)");
  CHECK(names[4] == "app (other)");
  for (const std::string& name : names) {
    CHECK(name.size() <= 200);
    CHECK(name.find_first_of("/\n") == std::string::npos);
  }
}

}  // namespace compmond::suggest
