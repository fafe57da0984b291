// SPDX-License-Identifier: Apache-2.0
#include "history/loss_list.h"

#include <algorithm>
#include <utility>

namespace compmond::history {

void LossList::put(uint64_t time_ns, uint64_t records) {
  const uint64_t start_ns = time_ns / width_ns_ * width_ns_;
  // Mostly the newest one or a newer one yet.
  auto place = list_.end();
  while (place != list_.begin() && (place - 1)->start_ns > start_ns) --place;
  if (place != list_.begin() && (place - 1)->start_ns == start_ns)
    (place - 1)->records += records;
  else
    list_.insert(place, {start_ns, start_ns + width_ns_, records});
}

void LossList::add(uint64_t time_ns, uint64_t records) {
  if (records == 0) return;
  put(time_ns, records);
  while (list_.size() > kMost) {
    width_ns_ *= 4;
    for (const Loss& loss : std::exchange(list_, {})) put(loss.start_ns, loss.records);
  }
}

}  // namespace compmond::history
