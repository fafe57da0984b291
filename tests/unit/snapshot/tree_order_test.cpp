// SPDX-License-Identifier: Apache-2.0
#include "snapshot/tree_order.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace compmond::snapshot;

namespace {

std::vector<Component> components(const std::vector<std::string>& names) {
  std::vector<Component> out;
  for (const std::string& name : names) {
    Component& one = out.emplace_back();
    one.name = name;
    if (const size_t slash = name.rfind('/'); slash != std::string::npos)
      one.parent = name.substr(0, slash);
  }
  return out;
}

// Names with their depths, in the order of their `ranks`.
std::string ordered(const std::vector<Component>& all, const std::vector<size_t>& shown,
                    const std::vector<int>& ranks) {
  std::string out;
  for (const Placed& at : tree_order(parents_of(all), shown,
                                     [&](size_t a, size_t b) { return ranks[a] < ranks[b]; }))
    out += (out.empty() ? "" : " ") + all[at.component].name + ":" + std::to_string(at.depth);
  return out;
}

}  // namespace

TEST_CASE("tree order: children stand right below their parents, siblings as they are compared") {
  const auto all = components({"A", "A/X", "A/Y", "A/Y/Z", "B"});
  CHECK(ordered(all, {0, 1, 2, 3, 4}, {2, 9, 8, 1, 1}) == "B:0 A:0 A/Y:1 A/Y/Z:2 A/X:1");
}

TEST_CASE("tree order: equal ones stay as they are") {
  const auto all = components({"B", "B/2", "B/1", "A"});
  CHECK(ordered(all, {0, 1, 2, 3}, {0, 0, 0, 0}) == "B:0 B/2:1 B/1:1 A:0");
}

TEST_CASE("tree order: where parents are not shown their children stand in their places") {
  const auto all = components({"A", "A/Y", "A/Y/Z", "B"});
  CHECK(ordered(all, {0, 2, 3}, {1, 0, 0, 2}) == "A:0 A/Y/Z:1 B:0");
  CHECK(ordered(all, {2, 3}, {0, 0, 3, 2}) == "B:0 A/Y/Z:0");
}

TEST_CASE("tree order: a parent that comes later, or is none, is no parent") {
  CHECK(parents_of(components({"A/X", "A", "B/Y"})) ==
        std::vector<size_t>{kNoParent, kNoParent, kNoParent});
}
