// SPDX-License-Identifier: Apache-2.0
#include "pipeline/slice_recorder.h"

#include <algorithm>
#include <utility>

#include "log_format/slice_codec.h"

namespace compmond::pipeline {
namespace {

using recording::SliceBlock;

// A chunk is the unit of damage, what a killed run loses at most, and how late it comes in a
// replay.
constexpr uint64_t kSlicesOfNs = 500'000'000;
constexpr size_t kBlockSteps = 256;
static_assert(kBlockSteps <= recording::kMaxSliceSteps);

}  // namespace

void SliceRecorder::begin_inputs(uint64_t time_ns) {
  inputs_until_ns_ = std::max(time_ns, inputs_until_ns_);
  begins_ = true;
}

void SliceRecorder::add_inputs(uint64_t until_ns, const counts::InputTimes::Seen& seen) {
  if (until_ns <= inputs_until_ns_) return;
  add(SliceBlock::Inputs{std::exchange(inputs_until_ns_, until_ns), until_ns,
                         std::exchange(begins_, false), seen});
}

void SliceRecorder::add(const counts::Slice& slice, const singles::Seen& singles) {
  add(SliceBlock::Taken{slice, singles});
}

void SliceRecorder::add(SliceBlock::Step step) {
  block_.steps.push_back(std::move(step));
  const uint64_t first_ns = time_of(block_.steps.front()), last_ns = time_of(block_.steps.back());
  if (block_.steps.size() >= kBlockSteps || last_ns >= first_ns + kSlicesOfNs) hand_on();
}

void SliceRecorder::hand_on() {
  if (block_.empty()) return;
  block_.first_step = steps_;
  steps_ += block_.steps.size();
  recording::ChunkHead head;
  const std::string payload = encode(block_, head);
  to_.on_packed(head, seal(head, payload));
  block_ = {};
}

}  // namespace compmond::pipeline
