// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "archive/document.h"
#include "archive/parsed_json.h"
#include "archive/scalars.h"

// The reading archive (writer.h says how one is used). An answer to compmond-ui has a hundred
// thousand numbers, many times a second: parsing is simdjson's, and places are put into words only
// where something is wrong.
namespace compmond::archive {

// Reads the members of an object, quickest in the order in which they stand there.
class Reader {
 public:
  static constexpr bool kReads = true;

  Reader(const ParsedJson& json, Document& document) : Reader(json.object(), Place{}, document) {}

  // After the last member: refuses what was not asked for, where the document is strict.
  void finish() {
    if (!document_.strict || document_.error) return;
    std::vector<std::string_view> left = known_;
    for (const auto [key, value] : object_) {
      if (std::erase(left, key) > 0) continue;
      const bool known = std::ranges::find(known_, key) != known_.end();
      return refuse(place_, fmt::format("the key '{}' {}", key.substr(0, 60),
                                        known ? "appears twice" : "is unknown"));
    }
  }

  template <class T>
  void operator()(const char* key, T& value) {
    Value member;
    if (find(key, true, member)) read(member, {&place_, key, 0}, value);
  }
  template <class T>
  void maybe(const char* key, T& value) {
    Value member;
    if (find(key, false, member)) read(member, {&place_, key, 0}, value);
  }
  template <class T>
  void if_any(const char* key, std::optional<T>& value) {
    maybe(key, value);
  }
  template <class T>
  void if_seen(const char* key, T& value, bool& seen) {
    Value member;
    if (!find(key, true, member)) return;
    if (member.is_null())
      seen = false;
    else
      read(member, {&place_, key, 0}, value);
  }
  template <class Describe>
  void inner(const char* key, Describe describe) {
    Value member;
    if (find(key, true, member)) read_object(member, {&place_, key, 0}, describe);
  }
  template <class Describe>
  void maybe_inner(const char* key, Describe describe) {
    Value member;
    if (find(key, false, member)) read_object(member, {&place_, key, 0}, describe);
  }

 private:
  using Value = ParsedJson::Value;
  using Object = ParsedJson::Object;

  Reader(const Object& object, const Place& place, Document& document)
      : object_(object), next_(object.begin()), place_(place), document_(document) {}

  void refuse(const Place& place, std::string why) { document_.refuse(place, std::move(why)); }

  bool find(const char* key, bool required, Value& member) {
    if (document_.error) return false;
    if (document_.strict) known_.push_back(key);
    const auto end = object_.end();
    if (next_ == end || !next_.key_equals(key)) {
      auto at = object_.begin();
      while (at != end && !at.key_equals(key)) ++at;
      if (at != end) next_ = at;
    }
    if (next_ != end && next_.key_equals(key)) {
      member = next_.value();
      ++next_;
      return true;
    }
    if (required) refuse(place_, fmt::format("the key '{}' is missing", key));
    return false;
  }

  template <class Describe>
  void read_object(Value value, const Place& place, Describe describe) {
    Object object;
    if (value.get(object)) return refuse(place, "expected an object");
    Reader reader(object, place, document_);
    describe(reader);
    reader.finish();
  }

  template <Scalar T>
  void read(Value value, const Place& place, T& out) {
    if (const char* expected = read_scalar(value, out)) refuse(place, expected);
  }
  template <class T>
  void read(Value value, const Place& place, std::vector<T>& out) {
    simdjson::dom::array items;
    if (value.get(items)) return refuse(place, "expected a list");
    out.clear();
    for (const Value item : items) {
      const Place item_place{&place, nullptr, out.size()};
      read(item, item_place, out.emplace_back());
      if (document_.error) return;
    }
  }
  template <class T>
  void read(Value value, const Place& place, std::optional<T>& out) {
    if (value.is_null())
      out.reset();
    else
      read(value, place, out.emplace(T{}));
  }
  template <class T>
  void read(Value value, const Place& place, T& out) {
    read_object(value, place, [&](Reader& reader) { shape(reader, out); });
  }

  Object object_;
  Object::iterator next_;  // the member after the one found last
  const Place place_;
  Document& document_;
  std::vector<std::string_view> known_;
};

}  // namespace compmond::archive
