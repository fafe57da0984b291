// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "sampling/frame_cache.h"
#include "sampling/unwinder.h"
#include "unwind/images.h"

namespace compmond::unwind {

// Tells the functions that frames lie in, each once; limits::kFunctions of them. One thread.
class Functions {
 public:
  explicit Functions(Images& images) : images_(images) {}
  // `out` is overwritten with those that were not met before.
  void meet(std::span<const sampling::Frame> frames, std::vector<sampling::Function>& out);

 private:
  bool known(const sampling::Frame& frame) const;

  Images& images_;
  using Ends =
      std::map<uint64_t, uint64_t>;  // by start, of what was told or is known not to be known
  std::map<sampling::ImageNumber, Ends> told_;
  sampling::FrameCache<bool> met_;  // of these, by frame: nothing else is asked as often
  size_t count_ = 0;
};

}  // namespace compmond::unwind
