// SPDX-License-Identifier: Apache-2.0
#include "run/sample_side.h"

#include <iterator>
#include <utility>

#include "core/limits.h"
#include "present/estimated.h"

namespace compmond::run {

SampleSide::SampleSide(sampling::SampleSource& source, const spec::Spec& spec,
                       const plan::Plan& plan, double hz, size_t history_bytes,
                       const sampling::SliceTimes& slices)
    : hz_(hz),
      store_(present::estimate_model_of(spec, plan),
             estimate::SampleStore::options_of(history_bytes)),
      all_(slices),
      drain_(source, all_) {}

Result<void> SampleSide::begin(recording::Recorder* log) {
  if (log) all_.add(recorder_.emplace(*log));
  all_.add(store_);
  return drain_.start();
}

void SampleSide::end() {
  drain_.stop();
  hand_on();
}

void SampleSide::hand_on() {
  if (recorder_) recorder_->hand_on();
}

void SampleSide::All::on_image(const sampling::Image& image) {
  for (sampling::SampleSink* sink : sinks_) sink->on_image(image);
  const std::lock_guard lock(mutex_);
  images_.push_back(image);
}

std::vector<sampling::Image> SampleSide::All::take_images() {
  const std::lock_guard lock(mutex_);
  return std::exchange(images_, {});
}

void SampleSide::All::on_function(const sampling::Function& function) {
  if (untold_.size() < limits::kFunctions) untold_[{function.image, function.start}] = function;
}

void SampleSide::All::tell_function_of(const sampling::Frame& frame) {
  const auto behind = untold_.upper_bound({frame.image, frame.vaddr});
  if (behind == untold_.begin()) return;
  const auto at = std::prev(behind);
  if (at->second.image != frame.image || frame.vaddr >= at->second.end) return;
  for (sampling::SampleSink* sink : sinks_) sink->on_function(at->second);
  untold_.erase(at);
}

// Shares of CPU time are those of the rest of the time; waiting goes on in slices, too.
void SampleSide::All::on_sample(const sampling::Sample& sample) {
  if (sample.kind == sampling::Sample::Kind::kOnCpu && slices_.has(sample.time_ns)) return;
  for (const sampling::Frame& frame : sample.frames) tell_function_of(frame);
  for (sampling::SampleSink* sink : sinks_) sink->on_sample(sample);
}

void SampleSide::All::on_stretch(const sampling::Stretch& stretch) {
  for (sampling::SampleSink* sink : sinks_) sink->on_stretch(stretch);
}

std::vector<counts::Pair> SampleSide::callers() const {
  const auto of = store_.callers();
  return {of.begin(), of.end()};
}

}  // namespace compmond::run
