// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
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

// Scales such a struct, each member rounded: 0 ≤ share ≤ 1.
template <class T>
T scaled_words(T sums, double share) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(uint64_t) == 0);
  auto* words = reinterpret_cast<std::byte*>(&sums);
  for (size_t at = 0; at < sizeof(T); at += sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, words + at, sizeof word);
    word = uint64_t(std::llround(double(word) * share));
    std::memcpy(words + at, &word, sizeof word);
  }
  return sums;
}

}  // namespace compmond
