// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace compmond {

// Adds a struct of nothing but uint64_t to another one, member by member, modulo 2^64. Word by word
// where they are: copies of the whole make figures a tenth slower.
template <class T>
void add_words(T& to, const T& from) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(uint64_t) == 0);
  auto* sums = reinterpret_cast<std::byte*>(&to);
  const auto* more = reinterpret_cast<const std::byte*>(&from);
  for (size_t at = 0; at < sizeof(T); at += sizeof(uint64_t)) {
    uint64_t sum, add;
    std::memcpy(&sum, sums + at, sizeof sum);
    std::memcpy(&add, more + at, sizeof add);
    sum += add;
    std::memcpy(sums + at, &sum, sizeof sum);
  }
}

}  // namespace compmond
