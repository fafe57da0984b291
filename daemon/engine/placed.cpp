// SPDX-License-Identifier: Apache-2.0
#include "engine/placed.h"

#include <mutex>

#include "core/parallel.h"

namespace compmond::engine {

void take_away(std::vector<std::unique_ptr<Placed>> placed, const StepsDone& told) {
  constexpr size_t kTogether = 64;  // threads: each mostly waits, for the same
  size_t done = 0, of = 0;
  for (const auto& one : placed) of += one->steps();
  std::mutex telling;
  const auto step_done = [&] {
    if (!told) return;
    const std::lock_guard lock(telling);
    told(++done, of);
  };
  in_parallel(placed.size(), kTogether, [&](size_t i) {
    placed[i]->take_away(step_done);
    placed[i].reset();
  });
}

}  // namespace compmond::engine
