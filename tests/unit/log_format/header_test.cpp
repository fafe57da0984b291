// SPDX-License-Identifier: Apache-2.0
#include "log_format/header.h"

#include <doctest/doctest.h>

#include "core/limits.h"
#include "support/log_scene.h"

using namespace compmond::recording;

TEST_CASE("header: how many exits can be awaited is kept, and was 64 in logs that do not say") {
  Header header = small_header();
  header.open_exits = UINT32_MAX;
  std::string json = to_json(header);
  const auto read = header_from_json(json);
  REQUIRE(read);
  CHECK(read->open_exits == UINT32_MAX);

  const std::string member = "\"open_exits\":4294967295,";
  const size_t at = json.find(member);
  REQUIRE(at != std::string::npos);
  const auto older = header_from_json(json.erase(at, member.size()));
  REQUIRE(older);
  CHECK(older->open_exits == 64);
}

TEST_CASE("header: the engines at work are kept, and logs that do not tell them were uprobe's") {
  Header header = small_header();
  header.engines = {{"uprobe", "multi", true}, {"sampling", "timer", false}};
  std::string json = to_json(header);
  const auto read = header_from_json(json);
  REQUIRE(read);
  CHECK(read->engines == header.engines);

  const size_t from = json.find("\"engines\":["), to = json.find("],", from);
  REQUIRE(to != std::string::npos);
  const auto older = header_from_json(json.erase(from, to + 2 - from));
  REQUIRE(older);
  REQUIRE(older->engines.size() == 1);
  CHECK(older->engines[0] == compmond::snapshot::Health::Engine{"uprobe", "multi", true});
}

TEST_CASE("header: one with more components or operations than can be told apart is refused") {
  Header header;
  header.components.resize(compmond::limits::kOperationsMany, {"A", -1});
  CHECK(header_from_json(to_json(header)));
  header.components.resize(compmond::limits::kOperationsMany + 1, {"A", -1});
  const auto components = header_from_json(to_json(header));
  REQUIRE(!components);
  CHECK(components.error().why == "it has 100001 components, and 100000 can be told apart");
  header.components.resize(1);
  header.operations.resize(compmond::limits::kOperationsMany + 1);
  CHECK(!header_from_json(to_json(header)));
}
