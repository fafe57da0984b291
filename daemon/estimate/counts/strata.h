// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

// Inputs are told apart in two ways, either of which tells kinds of requests apart in some
// programs: by the descriptor that was read from (the client), and by how much was read.
namespace compmond::counts {

constexpr size_t kStrata = 64;
enum class By : uint8_t { kDescriptor, kSize };
inline constexpr std::array kWays = {By::kDescriptor, By::kSize};

constexpr uint8_t descriptor_stratum(uint64_t descriptor) { return uint8_t(descriptor % kStrata); }

// Quarter octaves; of 64 KiB and more they begin anew. `bytes` > 0.
constexpr uint8_t size_stratum(uint64_t bytes) {
  const int octave = std::bit_width(bytes) - 1;
  const uint64_t quarter = octave >= 2 ? bytes >> (octave - 2) & 3 : 0;
  return uint8_t((uint64_t(octave) * 4 + quarter) % kStrata);
}

// The last input of a thread.
struct Stratum {
  uint8_t descriptor = 0, size = 0;
  uint8_t by(By way) const { return way == By::kDescriptor ? descriptor : size; }
  bool operator==(const Stratum&) const = default;
};

// Inputs per stratum. Doubles, as they may be estimates themselves: exact up to 2^53.
using Strata = std::array<double, kStrata>;

}  // namespace compmond::counts
