// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <limits>
#include <string>
#include <string_view>

#include "archive/parsed_json.h"
#include "archive/triple.h"
#include "base/words.h"

// Values that have no parts. read_scalar() says what was expected where the value is something
// else, and leaves `out` alone then; null: read.
namespace compmond::archive {

inline const char* read_scalar(ParsedJson::Value value, std::string& out) {
  std::string_view text;
  if (value.get(text)) return "expected a string";
  out = text;
  return nullptr;
}

template <class E>
const char* read_scalar(ParsedJson::Value value, Word<E>& out) {
  std::string_view text;
  if (value.get(text)) return "expected a string";
  out = Word<E>(text);
  return nullptr;
}

inline const char* read_scalar(ParsedJson::Value value, bool& out) {
  return value.get(out) ? "expected true or false" : nullptr;
}

inline const char* read_scalar(ParsedJson::Value value, double& out) {
  return value.get(out) ? "expected a number" : nullptr;
}

template <std::unsigned_integral T>
const char* read_scalar(ParsedJson::Value value, T& out) {
  uint64_t number = 0;
  if (value.get(number) || number > std::numeric_limits<T>::max())
    return "expected an integer that is not negative and in range";
  out = T(number);
  return nullptr;
}

template <std::signed_integral T>
const char* read_scalar(ParsedJson::Value value, T& out) {
  int64_t number = 0;
  if (value.get(number) || number < std::numeric_limits<T>::min() ||
      number > std::numeric_limits<T>::max())
    return "expected an integer in range";
  out = T(number);
  return nullptr;
}

template <Triple T>
const char* read_scalar(ParsedJson::Value value, T& out) {
  constexpr const char* kExpected = "expected a list of three numbers";
  simdjson::dom::array parts;
  if (value.get(parts) || parts.size() != 3) return kExpected;
  const auto [first, second, third] = numbers(out);
  const bool read = !parts.at(0).get(first) && !parts.at(1).get(second) && !parts.at(2).get(third);
  return read ? nullptr : kExpected;
}

template <class T>
concept Scalar = requires(ParsedJson::Value value, T& out) {
  { read_scalar(value, out) } -> std::same_as<const char*>;
};

}  // namespace compmond::archive
