// SPDX-License-Identifier: Apache-2.0
#include "engine/placed.h"

#include "core/parallel.h"

namespace compmond::engine {

void take_away(std::vector<std::unique_ptr<Placed>> placed) {
  constexpr size_t kTogether = 16;  // threads: each mostly waits
  in_parallel(placed.size(), kTogether, [&](size_t i) { placed[i].reset(); });
}

}  // namespace compmond::engine
