// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "counts/input_times.h"
#include "counts/slice.h"
#include "singles/single.h"

namespace compmond::recording {

// What slices of a busy run told of calls, and what the targets read meanwhile, in the order in
// which it was told, before it is packed and after it is unpacked.
struct SliceBlock {
  struct Inputs {  // as of counts::InputTimes::add()
    uint64_t since_ns = 0, until_ns = 0;
    bool begins = false;  // nothing is known of the time before, or since the last ones
    counts::InputTimes::Seen seen;
  };
  struct Taken {  // as of counts::SliceStore::add() and singles::SingleStore::add()
    counts::Slice slice;
    singles::Seen singles;  // of the same time and slow-down
  };
  using Step = std::variant<Inputs, Taken>;

  uint64_t first_step = 0;  // running number in the run
  std::vector<Step> steps;

  bool empty() const { return steps.empty(); }
};

// CLOCK_MONOTONIC, when it was known.
inline uint64_t time_of(const SliceBlock::Step& step) {
  if (const auto* inputs = std::get_if<SliceBlock::Inputs>(&step)) return inputs->until_ns;
  return std::get<SliceBlock::Taken>(step).slice.end_ns;
}

}  // namespace compmond::recording
