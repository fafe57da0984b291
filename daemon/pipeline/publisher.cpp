// SPDX-License-Identifier: Apache-2.0
#include "pipeline/publisher.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"

namespace compmond::pipeline {

void Publisher::follow(Pipeline& pipeline) {
  pipeline_ = &pipeline;
  newest_ = nullptr;
}

SharedCheckpoint Publisher::read(uint64_t age_ns) {
  const uint64_t now = monotonic_ns();
  if (newest_ && now - asked_ns_ < age_ns) return newest_;
  asked_ns_ = now;
  const SharedCheckpoint before = std::exchange(newest_, pipeline_->checkpoint());
  if (newest_ != before)
    for (const Consuming& one : consumers_) one.take(newest_);
  return newest_;
}

void Publisher::add(Consumer consumer, uint64_t every_ns) {
  consumers_.push_back({std::move(consumer), every_ns});
}

bool Publisher::due(uint64_t now_ns) const {
  return std::ranges::any_of(consumers_, [&](const Consuming& one) {
    return one.every_ns > 0 && (!newest_ || now_ns >= asked_ns_ + one.every_ns);
  });
}

}  // namespace compmond::pipeline
