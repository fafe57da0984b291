// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace compmond::fuzz {

// Takes values off the head of an input; zeros and empty spans once it is used up.
class Bytes {
 public:
  Bytes(const uint8_t* data, size_t size) : rest_(data, size) {}

  bool empty() const { return rest_.empty(); }
  template <class T>
  T take() {
    T value{};
    const auto part = take(sizeof value);
    std::memcpy(&value, part.data(), part.size());
    return value;
  }
  std::span<const uint8_t> take(size_t count) {
    const auto part = rest_.first(std::min(count, rest_.size()));
    rest_ = rest_.subspan(part.size());
    return part;
  }
  std::span<const uint8_t> rest() const { return rest_; }

 private:
  std::span<const uint8_t> rest_;
};

inline std::string_view text_of(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace compmond::fuzz
