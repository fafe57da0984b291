// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_layout.h"
#include "base/out.h"

namespace compmond {

// Writes JSON as it goes, so that neither size nor depth of a document costs memory or stack. Text
// that is ill-formed UTF-8 is mended with U+FFFD.
class JsonWriter {
 public:
  explicit JsonWriter(Out& out, JsonLayout layout = JsonLayout::kListLines)
      : out_(out), layout_(layout) {}

  JsonWriter& begin_object() { return open('{', '}'); }
  JsonWriter& begin_list() { return open('[', ']'); }
  JsonWriter& end();  // of the innermost object or list
  JsonWriter& key(std::string_view name);

  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }
  JsonWriter& value(bool yes) { return raw(yes ? "true" : "false"); }
  JsonWriter& value(double number);  // not finite: null
  JsonWriter& value(std::integral auto number) {
    const fmt::format_int digits(number);
    return raw({digits.data(), digits.size()});
  }
  JsonWriter& null() { return raw("null"); }
  template <class T>
  JsonWriter& value(const std::optional<T>& maybe) {
    return maybe ? value(*maybe) : null();
  }
  template <class T>
  JsonWriter& member(std::string_view name, const T& of) {
    return key(name).value(of);
  }
  // Text that is JSON already.
  JsonWriter& raw(std::string_view json);

 private:
  struct Level {
    char end;
    bool empty = true;
  };
  JsonWriter& open(char begin, char end);
  void before_value();
  void separate();
  void new_line();
  void put_string(std::string_view text);

  Out& out_;
  JsonLayout layout_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

}  // namespace compmond
