// SPDX-License-Identifier: Apache-2.0
#include "export/json_writer.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace compmond::exporting {
namespace {

constexpr size_t kDeepestIndent = 40;  // deeper lists are indented as this one: no line of blanks

}  // namespace

std::string json_string(std::string_view text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
  });
  if (plain) return std::string("\"").append(text).append(1, '"');
  using Json = nlohmann::json;
  return Json(std::string(text)).dump(-1, ' ', false, Json::error_handler_t::replace);
}

void JsonWriter::before_value() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (levels_.empty()) return;
  Level& level = levels_.back();
  if (!level.empty) out_.put(",");
  level.empty = false;
  if (level.end == ']') out_.format("\n{:{}}", "", std::min(levels_.size(), kDeepestIndent));
}

JsonWriter& JsonWriter::raw(std::string_view json) {
  before_value();
  out_.put(json);
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  return std::isfinite(number) ? raw(fmt::to_string(number)) : null();
}

JsonWriter& JsonWriter::key(std::string_view name) {
  Level& level = levels_.back();
  if (!level.empty) out_.put(", ");
  level.empty = false;
  out_.put(json_string(name));
  out_.put(": ");
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::open(char begin, char end) {
  before_value();
  out_.put(std::string_view(&begin, 1));
  levels_.push_back({end});
  return *this;
}

JsonWriter& JsonWriter::end() {
  const Level level = levels_.back();
  levels_.pop_back();
  out_.put(std::string_view(&level.end, 1));
  if (levels_.empty()) out_.put("\n");
  return *this;
}

}  // namespace compmond::exporting
