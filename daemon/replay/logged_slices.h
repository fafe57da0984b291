// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "counts/slice_store.h"
#include "log_format/slice_block.h"
#include "singles/single_store.h"

namespace compmond::replay {

// What slices of a log told so far, as the run itself had it. One thread.
class LoggedSlices {
 public:
  // In the order of the log. Where some of it is missing, nothing is known of what was read then.
  void add(std::vector<recording::SliceBlock::Step> steps);
  const counts::SliceStore& store() const { return store_; }
  const singles::SingleStore& singles() const { return singles_; }

 private:
  void add(const recording::SliceBlock::Inputs& inputs);
  void add(recording::SliceBlock::Taken taken);

  counts::SliceStore store_;
  singles::SingleStore singles_;
  uint64_t inputs_until_ns_ = 0;
};

}  // namespace compmond::replay
