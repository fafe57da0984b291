// SPDX-License-Identifier: Apache-2.0
#include "engine/placed.h"

#include <algorithm>
#include <thread>

namespace compmond::engine {

void take_away(std::vector<std::unique_ptr<Placed>> placed) {
  constexpr size_t kTogether = 16;  // threads: each mostly waits
  const size_t threads = std::min(kTogether, placed.size());
  std::vector<std::thread> others;
  const auto take = [&](size_t first) {
    for (size_t i = first; i < placed.size(); i += threads) placed[i].reset();
  };
  for (size_t t = 1; t < threads; ++t) others.emplace_back(take, t);
  if (threads > 0) take(0);
  for (std::thread& other : others) other.join();
}

}  // namespace compmond::engine
