// SPDX-License-Identifier: Apache-2.0
#include "singles/single.h"

#include <algorithm>
#include <random>

namespace compmond::singles {

std::vector<Single> choose(std::vector<Single> all, Window slice) {
  std::mt19937_64 random(slice.start_ns);
  std::ranges::shuffle(all, random);
  std::map<uint32_t, uint64_t> seen, kept;
  for (const Single& single : all) ++seen[single.operation];
  std::erase_if(all, [&](const Single& single) { return ++kept[single.operation] > kPerSlice; });
  const auto length = double(slice.length());
  for (Single& single : all) {
    const double of = double(seen[single.operation]);
    const double chosen = std::min(of, double(kPerSlice));
    const double left = std::max(1.0, length - double(single.duration_ns));
    single.weight = of / chosen * length / left;
  }
  std::ranges::sort(all, {}, &Single::start_ns);
  return all;
}

}  // namespace compmond::singles
