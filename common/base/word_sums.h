// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace compmond {

// Adds a struct of nothing but uint64_t to another one, member by member, modulo 2^64.
template <class T>
void add_words(T& to, const T& from) {
  using Words = std::array<uint64_t, sizeof(T) / sizeof(uint64_t)>;
  auto sums = std::bit_cast<Words>(to);
  const auto more = std::bit_cast<Words>(from);
  for (size_t i = 0; i < sums.size(); ++i) sums[i] += more[i];
  to = std::bit_cast<T>(sums);
}

}  // namespace compmond
