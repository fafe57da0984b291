// SPDX-License-Identifier: Apache-2.0
#include "base/json_writer.h"

#include <doctest/doctest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace compmond {
namespace {

using nlohmann::json;

std::string document(JsonLayout layout) {
  StringOut out;
  JsonWriter writer(out, layout);
  writer.begin_object().key("list").begin_list();
  writer.begin_object().member("a", 1).member("b", std::optional<int>()).end();
  writer.begin_object().end();
  writer.end().member("c", 0.5).member("none", "").key("empty").begin_list().end().end();
  return out.text();
}

std::string written(std::string_view text) {
  StringOut out;
  JsonWriter(out).value(text);
  return out.text();
}

}  // namespace

TEST_CASE("json writer: lists of objects stand one to a line") {
  CHECK(document(JsonLayout::kListLines) ==
        "{\"list\": [\n  {\"a\": 1, \"b\": null},\n  {}], \"c\": 0.5, \"none\": \"\", "
        "\"empty\": []}\n");
}

TEST_CASE("json writer: compact and indented text is that of the library") {
  const json same = {{"list", {{{"a", 1}, {"b", nullptr}}, json::object()}},
                     {"c", 0.5},
                     {"none", ""},
                     {"empty", json::array()}};
  CHECK(json::parse(document(JsonLayout::kListLines)) == same);
  const auto ordered = nlohmann::ordered_json::parse(document(JsonLayout::kListLines));
  CHECK(document(JsonLayout::kCompact) == ordered.dump());
  CHECK(document(JsonLayout::kIndented) == ordered.dump(2));
}

TEST_CASE("json writer: strings of any bytes are JSON strings") {
  CHECK(written("plain") == "\"plain\"");
  CHECK(json::parse(written("a\"\\\n\x01")) == "a\"\\\n\x01");
  CHECK(json::parse(written("\xff\xc3(")) == "\uFFFD\uFFFD(");
}

TEST_CASE("json writer: numbers keep their value") {
  const auto read = [](auto number) {
    StringOut out;
    JsonWriter(out).value(number);
    return json::parse(out.text());
  };
  CHECK(read(UINT64_MAX) == UINT64_MAX);
  CHECK(read(INT64_MIN) == INT64_MIN);
  CHECK(read(0.1) == 0.1);
  CHECK(read(std::numeric_limits<double>::denorm_min()) ==
        std::numeric_limits<double>::denorm_min());
  CHECK(read(-std::numeric_limits<double>::max()) == -std::numeric_limits<double>::max());
  CHECK(read(std::numeric_limits<double>::quiet_NaN()).is_null());
}

}  // namespace compmond
