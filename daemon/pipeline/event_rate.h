// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <utility>

#include "history/store.h"

namespace compmond::pipeline {

// How fast events come, from the checkpoints of the last second or, where they are made more
// rarely, between the last two.
class EventRate {
 public:
  void add(const history::Checkpoint& checkpoint);
  double per_second() const;

 private:
  std::deque<std::pair<uint64_t, uint64_t>> seen_;  // as of, delivered; oldest first
};

}  // namespace compmond::pipeline
