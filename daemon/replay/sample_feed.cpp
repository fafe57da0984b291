// SPDX-License-Identifier: Apache-2.0
#include "replay/sample_feed.h"

#include <algorithm>
#include <utility>

namespace compmond::replay {

using recording::SampleBlock;

void SampleFeed::take(SampleBlock block) {
  if (block.empty()) return;
  blocks_.push_back(std::move(block));
  if (blocks_.size() == 1) open_first();
}

void SampleFeed::open_first() {
  sample_ = stretch_ = 0;
  if (!sink_) return;
  for (const sampling::Image& image : blocks_.front().images) sink_->on_image(image);
  for (const sampling::Function& function : blocks_.front().functions) sink_->on_function(function);
}

bool SampleFeed::stretch_is_next() const {
  const auto& stretches = blocks_.front().stretches;
  return stretch_ < stretches.size() && stretches[stretch_].after <= sample_;
}

uint64_t SampleFeed::next_ns() const {
  const SampleBlock& block = blocks_.front();
  return stretch_is_next() ? block.stretches[stretch_].stretch.end_ns
                           : block.samples[sample_].sample.time_ns;
}

void SampleFeed::hand_over_next() {
  const SampleBlock& block = blocks_.front();
  if (stretch_is_next()) {
    const auto& passed = block.stretches[stretch_++];
    if (sink_) sink_->on_stretch(passed.stretch);
    return;
  }
  const auto& [taken, innermost] = block.samples[sample_++];
  frames_.clear();
  for (uint32_t at = innermost; at != SampleBlock::kNoCall; at = block.calls[at].caller)
    frames_.push_back(block.calls[at].frame);
  sampling::Sample sample = taken;
  sample.frames = frames_;
  if (sink_) sink_->on_sample(sample);
}

size_t SampleFeed::deliver(uint64_t until_ns, size_t most) {
  size_t n = 0;
  for (; n < most && !done() && next_ns() <= until_ns; ++n) {
    latest_ns_ = std::max(latest_ns_, next_ns());
    hand_over_next();
    const SampleBlock& block = blocks_.front();
    if (sample_ < block.samples.size() || stretch_ < block.stretches.size()) continue;
    blocks_.pop_front();
    if (!done()) open_first();
  }
  return n;
}

}  // namespace compmond::replay
