// SPDX-License-Identifier: Apache-2.0
#include "pipeline/event_rate.h"

namespace compmond::pipeline {
namespace {

constexpr uint64_t kRateNs = 1'000'000'000;

}  // namespace

void EventRate::add(const history::Checkpoint& checkpoint) {
  if (seen_.empty()) seen_.emplace_back(checkpoint.start_ns, 0);
  if (checkpoint.as_of_ns <= seen_.back().first) return;
  seen_.emplace_back(checkpoint.as_of_ns, checkpoint.capture.delivered);
  while (seen_.size() > 2 && seen_[1].first + kRateNs <= checkpoint.as_of_ns) seen_.pop_front();
}

double EventRate::per_second() const {
  if (seen_.size() < 2) return 0;
  const auto& [from_ns, before] = seen_.front();
  const auto& [to_ns, delivered] = seen_.back();
  return double(delivered - before) * 1e9 / double(to_ns - from_ns);
}

}  // namespace compmond::pipeline
