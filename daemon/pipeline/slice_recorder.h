// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "counts/slice_store.h"
#include "log_format/slice_block.h"
#include "recording/recorder.h"
#include "singles/single.h"

namespace compmond::pipeline {

// Packs what slices tell for a log, in chunks of half a second. Is told what the run's
// counts::SliceStore is, in the same order. One thread.
class SliceRecorder {
 public:
  explicit SliceRecorder(recording::Recorder& to) : to_(to) {}  // must outlive it

  void begin_inputs(uint64_t time_ns);
  void add_inputs(uint64_t until_ns, const counts::InputTimes::Seen& seen);
  void add(const counts::Slice& slice, const singles::Seen& singles);

  // What was told until now is the recorder's when this returns.
  void hand_on();

 private:
  void add(recording::SliceBlock::Step step);

  recording::Recorder& to_;
  recording::SliceBlock block_;
  uint64_t steps_ = 0;  // of the run, before the block
  uint64_t inputs_until_ns_ = 0;
  bool begins_ = false;  // nothing is known until then
};

}  // namespace compmond::pipeline
