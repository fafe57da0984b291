// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <concepts>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/words.h"
#include "snapshot/parsed_json.h"

// The reading archive (writer.h says how one is used). An answer to compmond-ui has a hundred
// thousand numbers, many times a second: parsing is simdjson's, and places are put into words only
// where something is wrong.
namespace compmond::snapshot {

// What all readers of one document share: how it is called, and the first thing wrong with it.
struct Document {
  std::string what;     // "not a snapshot"
  std::string next;     // what to do about it
  bool strict = false;  // unknown keys are errors, and keys that appear twice
  std::optional<Error> error;
};

// Reads the members of an object, quickest in the order in which they stand there.
class Reader {
 public:
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

  // Of a value: the member `key` or, without one, the element `index` of what is around it.
  struct Place {
    const Place* outer = nullptr;
    const char* key = nullptr;
    size_t index = 0;

    std::string pointer() const {
      if (!outer) return "";
      return fmt::format("{}/{}", outer->pointer(), key ? key : std::to_string(index));
    }
  };

  Reader(const Object& object, const Place& place, Document& document)
      : object_(object), next_(object.begin()), place_(place), document_(document) {}

  void refuse(const Place& place, std::string why) {
    if (document_.error) return;
    document_.error =
        Error{Exit::kData, fmt::format("{}, at '{}'", document_.what, place.pointer()),
              std::move(why), document_.next};
  }

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

  void read(Value value, const Place& place, std::string& out) {
    std::string_view text;
    if (value.get(text)) return refuse(place, "expected a string");
    out = text;
  }
  template <class E>
  void read(Value value, const Place& place, Word<E>& out) {
    std::string_view text;
    if (value.get(text)) return refuse(place, "expected a string");
    out = Word<E>(text);
  }
  void read(Value value, const Place& place, bool& out) {
    if (value.get(out)) refuse(place, "expected true or false");
  }
  void read(Value value, const Place& place, double& out) {
    if (value.get(out)) refuse(place, "expected a number");
  }
  template <std::unsigned_integral T>
  void read(Value value, const Place& place, T& out) {
    uint64_t number = 0;
    if (value.get(number) || number > std::numeric_limits<T>::max())
      return refuse(place, "expected an integer that is not negative and in range");
    out = T(number);
  }
  template <std::signed_integral T>
  void read(Value value, const Place& place, T& out) {
    int64_t number = 0;
    if (value.get(number) || number < std::numeric_limits<T>::min() ||
        number > std::numeric_limits<T>::max())
      return refuse(place, "expected an integer in range");
    out = T(number);
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

}  // namespace compmond::snapshot
