// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace compmond {

// A hash of what `hash` stands for, followed by `value`. Not for data of others that choose it.
constexpr uint64_t hash_mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;  // 2^64 / golden ratio: spreads small numbers
  return hash ^ hash >> 29;
}
// By its bytes, and that it ends: "ab", "c" and "a", "bc" differ.
constexpr uint64_t hash_mix(uint64_t hash, std::string_view text) {
  for (const char c : text) hash = hash_mix(hash, uint64_t(uint8_t(c)));
  return hash_mix(hash, uint64_t(0x100));
}

}  // namespace compmond
