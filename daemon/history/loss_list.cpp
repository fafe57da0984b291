// SPDX-License-Identifier: Apache-2.0
#include "history/loss_list.h"

#include <algorithm>
#include <utility>

namespace compmond::history {

// Becomes one with all that it overlaps.
void LossList::put(Loss loss) {
  loss.start_ns = loss.start_ns / width_ns_ * width_ns_;
  loss.end_ns = (loss.end_ns + width_ns_ - 1) / width_ns_ * width_ns_;
  // Mostly the newest one or a newer one yet.
  auto end = list_.end();
  while (end != list_.begin() && (end - 1)->start_ns >= loss.end_ns) --end;
  auto begin = end;
  for (; begin != list_.begin() && (begin - 1)->end_ns > loss.start_ns; --begin) {
    const Loss& other = *(begin - 1);
    loss = {std::min(loss.start_ns, other.start_ns), std::max(loss.end_ns, other.end_ns),
            loss.records + other.records};
  }
  list_.insert(list_.erase(begin, end), loss);
}

void LossList::add(uint64_t from_ns, uint64_t to_ns, uint64_t records) {
  put({std::min(from_ns, to_ns), to_ns + 1, records});
  while (list_.size() > kMost) {
    width_ns_ *= 4;
    for (const Loss& loss : std::exchange(list_, {})) put(loss);
  }
}

}  // namespace compmond::history
