// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <unordered_map>
#include <utility>

#include "log_format/sample_block.h"
#include "recording/recorder.h"
#include "sampling/sample.h"

namespace compmond::pipeline {

// Packs what a source of samples tells for a log, in chunks of some two seconds that are whole in
// themselves: of what was told before, each repeats what it refers to. Told on one thread.
class SampleRecorder final : public sampling::SampleSink {
 public:
  explicit SampleRecorder(recording::Recorder& to) : to_(to) {}  // must outlive it

  void on_image(const sampling::Image& image) override;
  void on_function(const sampling::Function& function) override;
  void on_sample(const sampling::Sample& sample) override;
  void on_stretch(const sampling::Stretch& stretch) override;

  // Any thread: what was told until now is the recorder's when this returns.
  void hand_on();

 private:
  using Place = std::pair<sampling::ImageNumber, uint64_t>;
  struct CallKey {
    uint32_t caller;
    sampling::Frame frame;
    bool operator==(const CallKey&) const = default;
  };
  struct CallHash {
    size_t operator()(const CallKey& key) const;
  };

  void pack();  // with the mutex held
  uint32_t call(uint32_t caller, const sampling::Frame& frame);
  void describe(const sampling::Frame& frame);

  recording::Recorder& to_;
  std::mutex mutex_;  // guards what follows
  std::unordered_map<sampling::ImageNumber, sampling::Image> images_;
  std::map<Place, sampling::Function> functions_;  // by where they start
  size_t function_bytes_ = 0;
  uint64_t samples_ = 0;  // of the run, until now
  recording::SampleBlock block_;
  size_t text_bytes_ = 0;  // of block_
  // What of all that is in it.
  std::unordered_map<CallKey, uint32_t, CallHash> calls_;
  std::set<sampling::ImageNumber> block_images_;
  std::set<Place> block_functions_;
};

}  // namespace compmond::pipeline
