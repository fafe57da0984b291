// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/result.h"
#include "counts/slice.h"
#include "estimate/sample_store.h"
#include "pipeline/sample_drain.h"
#include "pipeline/sample_recorder.h"
#include "plan/plan.h"
#include "present/run_parts.h"
#include "recording/recorder.h"
#include "sampling/sample.h"
#include "sampling/slice_times.h"
#include "spec/model.h"

namespace compmond::run {

// The data side of samples: where they are kept, the log that gets them too, and the thread that
// brings them there.
class SampleSide {
 public:
  // `source` and `slices` must outlive it; `hz`: as asked for; `history_bytes`: of which samples in
  // full get their share.
  SampleSide(sampling::SampleSource& source, const spec::Spec& spec, const plan::Plan& plan,
             double hz, size_t history_bytes, const sampling::SliceTimes& slices);
  // `log`: must outlive it, null where nothing is recorded. Exit::kUnavailable where there can be
  // no more threads.
  Result<void> begin(recording::Recorder* log);
  // After one last drain: what was sampled until then is there, and handed to the log.
  void end();
  // What was sampled until now is handed to the log.
  void hand_on();
  // Files that observed processes execute code from, met since the last call. Any thread.
  std::vector<sampling::Image> take_images() { return all_.take_images(); }
  present::RunSamples samples() const { return {store_, hz_}; }
  // What calls what directly, as stacks have it. Any thread.
  std::vector<counts::Pair> callers() const;

 private:
  class All final : public sampling::SampleSink {
   public:
    explicit All(const sampling::SliceTimes& slices) : slices_(slices) {}
    void add(sampling::SampleSink& sink) { sinks_.push_back(&sink); }
    std::vector<sampling::Image> take_images();
    void on_image(const sampling::Image& image) override;
    void on_function(const sampling::Function& function) override;
    void on_sample(const sampling::Sample& sample) override;
    void on_stretch(const sampling::Stretch& stretch) override;

   private:
    void tell_function_of(const sampling::Frame& frame);

    const sampling::SliceTimes& slices_;
    std::vector<sampling::SampleSink*> sinks_;
    // By where they begin, those in which only samples lay that are left out: the log, too, has
    // none of these. At most limits::kFunctions.
    std::map<std::pair<sampling::ImageNumber, uint64_t>, sampling::Function> untold_;
    std::mutex mutex_;  // guards what follows
    std::vector<sampling::Image> images_;
  };

  double hz_;
  estimate::SampleStore store_;
  std::optional<pipeline::SampleRecorder> recorder_;
  All all_;                      // of these two; not what probes of slices slowed
  pipeline::SampleDrain drain_;  // into all_
};

}  // namespace compmond::run
