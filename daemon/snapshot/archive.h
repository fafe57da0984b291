// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "base/result.h"

// Two archives with one face, so that shape.h states the JSON's shape once for both directions.
//   a("key", value)           a member that every snapshot has
//   a.maybe("key", value)     a member that may be absent when read; the value then stays as it is
//   a.if_any("key", optional)  a member that is absent where there is no value
//   a.inner("key", describe)  a member that is an object, described by describe(archive);
//   maybe_inner may be absent
namespace compmond::snapshot {

using Json = nlohmann::ordered_json;

// Writes the members of an object that is open.
class Writer {
 public:
  explicit Writer(JsonWriter& out) : out_(out) {}

  template <class T>
  void operator()(const char* key, const T& value) {
    out_.key(key);
    write(value);
  }
  template <class T>
  void maybe(const char* key, const T& value) {
    (*this)(key, value);
  }
  template <class T>
  void if_any(const char* key, const std::optional<T>& value) {
    if (value) (*this)(key, *value);
  }
  template <class Describe>
  void inner(const char* key, Describe describe) {
    out_.key(key).begin_object();
    describe(*this);
    out_.end();
  }
  template <class Describe>
  void maybe_inner(const char* key, Describe describe) {
    inner(key, describe);
  }

 private:
  template <class T>
  void write(const T& value) {
    if constexpr (std::same_as<T, double>) {
      out_.value(std::isfinite(value) ? value : 0.0);
    } else if constexpr (std::is_arithmetic_v<T> || std::same_as<T, std::string>) {
      out_.value(value);
    } else {
      out_.begin_object();
      shape(*this, value);
      out_.end();
    }
  }
  template <class T>
  void write(const std::optional<T>& value) {
    if (value)
      write(*value);
    else
      out_.null();
  }
  template <class T>
  void write(const std::vector<T>& values) {
    out_.begin_list();
    for (const T& value : values) write(value);
    out_.end();
  }

  JsonWriter& out_;
};

// The text of a document that is one object, described by describe(writer).
template <class Describe>
std::string written(JsonLayout layout, Describe describe) {
  StringOut text;
  JsonWriter out(text, layout);
  out.begin_object();
  Writer writer(out);
  describe(writer);
  out.end();
  return text.text();
}

// What all readers of one document share: how it is called, and the first thing wrong with it.
struct Document {
  std::string what;     // "not a snapshot"
  std::string next;     // what to do about it
  bool strict = false;  // unknown keys are errors
  std::optional<Error> error;
};

class Reader {
 public:
  Reader(const Json& in, std::string pointer, Document& document)
      : in_(in), pointer_(std::move(pointer)), document_(document) {
    if (!in_.is_object()) refuse(pointer_, "expected an object");
  }
  // After the last member: refuses what was not asked for, where the document is strict.
  void finish() {
    if (!document_.strict || document_.error) return;
    for (const auto& [key, value] : in_.items())
      if (std::find(known_.begin(), known_.end(), key) == known_.end())
        return refuse(pointer_, fmt::format("the key '{}' is unknown", key.substr(0, 60)));
  }

  template <class T>
  void operator()(const char* key, T& value) {
    if (const Json* member = find(key, true)) read(*member, pointer_ + "/" + key, value);
  }
  template <class T>
  void maybe(const char* key, T& value) {
    if (const Json* member = find(key, false)) read(*member, pointer_ + "/" + key, value);
  }
  template <class T>
  void if_any(const char* key, std::optional<T>& value) {
    maybe(key, value);
  }
  template <class Describe>
  void inner(const char* key, Describe describe) {
    read_inner(find(key, true), key, describe);
  }
  template <class Describe>
  void maybe_inner(const char* key, Describe describe) {
    read_inner(find(key, false), key, describe);
  }

 private:
  template <class Describe>
  void read_inner(const Json* member, const char* key, Describe describe) {
    if (!member) return;
    Reader reader(*member, pointer_ + "/" + key, document_);
    describe(reader);
    reader.finish();
  }
  void refuse(const std::string& pointer, std::string why) {
    if (document_.error) return;
    document_.error = Error{Exit::kData, fmt::format("{}, at '{}'", document_.what, pointer),
                            std::move(why), document_.next};
  }

  const Json* find(const char* key, bool required) {
    if (document_.error) return nullptr;
    if (document_.strict) known_.push_back(key);
    const auto member = in_.find(key);
    if (member != in_.end()) return &*member;
    if (required) refuse(pointer_, fmt::format("the key '{}' is missing", key));
    return nullptr;
  }

  void read(const Json& json, const std::string& at, std::string& value) {
    if (!json.is_string()) return refuse(at, "expected a string");
    value = json.get<std::string>();
  }
  void read(const Json& json, const std::string& at, bool& value) {
    if (!json.is_boolean()) return refuse(at, "expected true or false");
    value = json.get<bool>();
  }
  void read(const Json& json, const std::string& at, double& value) {
    if (!json.is_number()) return refuse(at, "expected a number");
    value = json.get<double>();
  }
  template <std::unsigned_integral T>
  void read(const Json& json, const std::string& at, T& value) {
    if (!json.is_number_unsigned() || json.get<uint64_t>() > std::numeric_limits<T>::max())
      return refuse(at, "expected an integer that is not negative and in range");
    value = json.get<T>();
  }
  template <std::signed_integral T>
  void read(const Json& json, const std::string& at, T& value) {
    const bool too_large =
        json.is_number_unsigned() && json.get<uint64_t>() > uint64_t(std::numeric_limits<T>::max());
    if (!json.is_number_integer() || too_large) return refuse(at, "expected an integer in range");
    value = json.get<T>();
  }
  template <class T>
  void read(const Json& json, const std::string& at, std::vector<T>& values) {
    if (!json.is_array()) return refuse(at, "expected a list");
    values.clear();
    for (const Json& item : json) {
      const std::string item_at = fmt::format("{}/{}", at, values.size());
      read(item, item_at, values.emplace_back());
      if (document_.error) return;
    }
  }
  template <class T>
  void read(const Json& json, const std::string& at, std::optional<T>& value) {
    if (json.is_null())
      value.reset();
    else
      read(json, at, value.emplace(T{}));
  }
  template <class T>
  void read(const Json& json, const std::string& at, T& value) {
    Reader reader(json, at, document_);
    shape(reader, value);
    reader.finish();
  }

  const Json& in_;
  std::string pointer_;
  Document& document_;
  std::vector<std::string_view> known_;
};

}  // namespace compmond::snapshot
