// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sampling/sample.h"

namespace compmond::recording {

// What a source of samples handed over, before it is packed and after it is unpacked. It is whole
// in itself: all that its samples refer to is in it, and each stack only once, as a path in a tree
// of calls.
struct SampleBlock {
  static constexpr uint32_t kNoCall = UINT32_MAX;
  // A call within another one: a frame and those below it.
  struct Call {
    uint32_t caller = kNoCall;  // index in `calls`, below its own; kNoCall: the thread's first
    sampling::Frame frame;
  };
  struct Taken {
    sampling::Sample sample;       // without its frames
    uint32_t innermost = kNoCall;  // whose path they are; kNoCall: there are none
  };
  struct Passed {
    sampling::Stretch stretch;
    uint32_t after = 0;  // was told behind so many of the block's samples
  };

  uint64_t first_sample = 0;  // running number in the run
  std::vector<sampling::Image> images;
  std::vector<sampling::Function> functions;
  std::vector<Call> calls;
  std::vector<Taken> samples;
  std::vector<Passed> stretches;  // in order, also of `after`

  bool empty() const { return samples.empty() && stretches.empty(); }
};

}  // namespace compmond::recording
