// SPDX-License-Identifier: Apache-2.0
#include "pipeline/sample_recorder.h"

#include <iterator>
#include <ranges>
#include <string>

#include "base/hash_mix.h"
#include "core/limits.h"
#include "log_format/sample_codec.h"

namespace compmond::pipeline {
namespace {

using recording::SampleBlock;

// A chunk is the unit of damage, and what a killed run loses at most; a shorter one repeats more
// stacks and names. At the usual rates the time decides.
constexpr uint64_t kBlockNs = 2'000'000'000;
constexpr size_t kBlockSamples = 4096, kBlockCalls = 1u << 16, kBlockStretches = 64;
constexpr size_t kBlockTextBytes = 8u << 20;
static_assert(kBlockSamples <= recording::kMaxSamples &&
              kBlockStretches < recording::kMaxStretches &&
              kBlockCalls + recording::kMaxDepth <= recording::kMaxCalls);

}  // namespace

size_t SampleRecorder::CallHash::operator()(const CallKey& key) const {
  return hash_mix(hash_mix(hash_mix(0, key.caller), key.frame.image), key.frame.vaddr);
}

void SampleRecorder::on_image(const sampling::Image& image) {
  const std::lock_guard lock(mutex_);
  images_[image.number] = image;
}

void SampleRecorder::on_function(const sampling::Function& function) {
  const std::lock_guard lock(mutex_);
  const size_t bytes = sizeof function + function.name.size();
  if (function_bytes_ + bytes > limits::kFunctionsBytes) return;
  const auto [known, is_new] =
      functions_.insert_or_assign({function.image, function.start}, function);
  if (is_new) function_bytes_ += bytes;
}

// Puts what is known of the place of a new frame into the block.
void SampleRecorder::describe(const sampling::Frame& frame) {
  if (const auto image = images_.find(frame.image);
      image != images_.end() && block_images_.insert(frame.image).second) {
    block_.images.push_back(image->second);
    text_bytes_ += image->second.path.size();
  }
  const auto behind = functions_.upper_bound({frame.image, frame.vaddr});
  if (behind == functions_.begin()) return;
  const auto& [start, function] = *std::prev(behind);
  if (function.image != frame.image || frame.vaddr >= function.end) return;
  if (!block_functions_.insert(start).second) return;
  block_.functions.push_back(function);
  text_bytes_ += function.name.size();
}

uint32_t SampleRecorder::call(uint32_t caller, const sampling::Frame& frame) {
  const auto [known, is_new] = calls_.try_emplace({caller, frame}, uint32_t(block_.calls.size()));
  if (is_new) {
    describe(frame);
    block_.calls.push_back({caller, frame});
  }
  return known->second;
}

void SampleRecorder::on_sample(const sampling::Sample& sample) {
  const std::lock_guard lock(mutex_);
  SampleBlock::Taken& taken = block_.samples.emplace_back(SampleBlock::Taken{sample});
  taken.sample.frames = {};
  auto frames = sample.frames;
  if (frames.size() > recording::kMaxDepth) {
    frames = frames.first(recording::kMaxDepth);
    taken.sample.ended = sampling::Ended::kTruncated;
  }
  for (const sampling::Frame& frame : std::views::reverse(frames))
    taken.innermost = call(taken.innermost, frame);
  if (block_.samples.size() >= kBlockSamples || block_.calls.size() >= kBlockCalls ||
      text_bytes_ >= kBlockTextBytes)
    pack();
}

void SampleRecorder::on_stretch(const sampling::Stretch& stretch) {
  const std::lock_guard lock(mutex_);
  block_.stretches.push_back({stretch, uint32_t(block_.samples.size())});
  if (block_.stretches.size() >= kBlockStretches ||
      stretch.end_ns - block_.stretches.front().stretch.start_ns >= kBlockNs)
    pack();
}

void SampleRecorder::hand_on() {
  const std::lock_guard lock(mutex_);
  pack();
}

void SampleRecorder::pack() {
  if (block_.empty()) return;
  block_.first_sample = samples_;
  samples_ += block_.samples.size();
  recording::ChunkHead head;
  const std::string payload = encode(block_, head);
  to_.on_packed(head, seal(head, payload));
  block_ = {};
  text_bytes_ = 0;
  calls_.clear();
  block_images_.clear();
  block_functions_.clear();
}

}  // namespace compmond::pipeline
