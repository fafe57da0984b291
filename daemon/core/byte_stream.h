// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace compmond {

// Values as bytes, for messages between processes of one build. A type with a function
// `fields(archive, value)` that calls archive(member, …) with each member can be written and read.

class ByteWriter {
 public:
  template <class T>
  void operator()(const T& value) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      (*this)(uint64_t(value.size()));
      bytes_ += value;
    } else {
      fields(*this, value);
    }
  }
  template <class T>
  void operator()(const std::vector<T>& values) {
    (*this)(uint64_t(values.size()));
    for (const T& value : values) (*this)(value);
  }
  template <class First, class... Rest>
  requires(sizeof...(Rest) > 0) void operator()(const First& first, const Rest&... rest) {
    (*this)(first);
    ((*this)(rest), ...);
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Reads what may be anything: after the first value that does not fit, all others are empty and
// `good` is false. Enumerations and numbers are checked by who uses them; a bool is made one.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}
  bool good() const { return good_; }
  bool at_end() const { return good_ && rest_.empty(); }

  template <class T>
  void operator()(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      uint8_t byte = 0;
      (*this)(byte);
      value = byte != 0;
    } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      const std::string_view bytes = next(sizeof value);
      if (good_) std::memcpy(&value, bytes.data(), sizeof value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      uint64_t size = 0;
      (*this)(size);
      value = next(size);
    } else {
      fields(*this, value);
    }
  }
  template <class T>
  void operator()(std::vector<T>& values) {
    uint64_t count = 0;
    (*this)(count);
    values.clear();
    for (uint64_t i = 0; i < count && good_; ++i) (*this)(values.emplace_back());
  }
  template <class First, class... Rest>
  requires(sizeof...(Rest) > 0) void operator()(First& first, Rest&... rest) {
    (*this)(first);
    ((*this)(rest), ...);
  }

 private:
  std::string_view next(uint64_t size) {
    good_ = good_ && size <= rest_.size();
    if (!good_) return {};
    const std::string_view out = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return out;
  }

  std::string_view rest_;
  bool good_ = true;
};

}  // namespace compmond
