// SPDX-License-Identifier: Apache-2.0
#include "base/json_writer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

namespace compmond {
namespace {

constexpr size_t kDeepestIndent = 40;  // deeper ones are indented as this one: no line of blanks

}  // namespace

// Most text needs no escapes; a library knows the others.
void JsonWriter::put_string(std::string_view text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
  });
  if (plain) {
    out_.put("\"");
    out_.put(text);
    out_.put("\"");
  } else {
    using Json = nlohmann::json;
    out_.put(Json(std::string(text)).dump(-1, ' ', false, Json::error_handler_t::replace));
  }
}

void JsonWriter::new_line() {
  static const std::string line = std::string(1, '\n').append(kDeepestIndent, ' ');
  const size_t blanks = levels_.size() * (layout_ == JsonLayout::kIndented ? 2 : 1);
  out_.put({line.data(), 1 + std::min(blanks, kDeepestIndent)});
}

// Between the last member or element and the next.
void JsonWriter::separate() {
  Level& level = levels_.back();
  if (!level.empty) out_.put(",");
  if (layout_ == JsonLayout::kIndented || (layout_ == JsonLayout::kListLines && level.end == ']'))
    new_line();
  else if (layout_ == JsonLayout::kListLines && !level.empty)
    out_.put(" ");
  level.empty = false;
}

void JsonWriter::before_value() {
  if (!after_key_ && !levels_.empty()) separate();
  after_key_ = false;
}

JsonWriter& JsonWriter::raw(std::string_view json) {
  before_value();
  out_.put(json);
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  before_value();
  put_string(text);
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  std::array<char, 32> digits;  // more than the longest double needs
  const auto end = fmt::format_to_n(digits.data(), digits.size(), "{}", number);
  return raw({digits.data(), end.size});
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  put_string(name);
  out_.put(layout_ == JsonLayout::kCompact ? ":" : ": ");
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
  if (layout_ == JsonLayout::kIndented && !level.empty) new_line();
  out_.put(std::string_view(&level.end, 1));
  if (levels_.empty() && layout_ == JsonLayout::kListLines) out_.put("\n");
  return *this;
}

}  // namespace compmond
