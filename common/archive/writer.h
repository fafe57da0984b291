// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <concepts>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "archive/triple.h"
#include "base/json_writer.h"

// Two archives with one face, so that shape.h states the JSON's shape once for both directions.
//   a("key", value)           a member that every snapshot has
//   a.maybe("key", value)     a member that may be absent when read; the value then stays as it is
//   a.if_any("key", optional)  a member that is absent where there is no value
//   a.if_seen("key", value, seen)  a member that is null where nothing of it could be seen
//   a.inner("key", describe)  a member that is an object, described by describe(archive);
//   maybe_inner may be absent
//   A::kReads                 which of the two the archive is
// This one writes; reader.h has the other.
namespace compmond::archive {

// Writes the members of an object that is open.
class Writer {
 public:
  static constexpr bool kReads = false;

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
  template <class T>
  void if_seen(const char* key, const T& value, bool seen) {
    out_.key(key);
    if (seen)
      write(value);
    else
      out_.null();
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
    } else if constexpr (Triple<const T>) {
      const auto [first, second, third] = numbers(value);
      out_.begin_list();
      for (const double part : {first, second, third}) write(part);
      out_.end();
    } else if constexpr (std::is_arithmetic_v<T> || std::same_as<T, std::string>) {
      out_.value(value);
    } else if constexpr (requires { value.text(); }) {  // a Word
      out_.value(value.text());
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

}  // namespace compmond::archive
