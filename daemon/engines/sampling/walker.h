// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "sampler/kernel.h"
#include "sampling/unwinder.h"

namespace compmond::sampler {

// Has samples unwound, and learns where threads' stacks begin, above which nothing need be copied.
// One thread.
class Walker {
 public:
  Walker(Kernel& kernel, sampling::Unwinder& unwinder) : kernel_(kernel), unwinder_(unwinder) {}
  void walk(std::span<const sampling::RawSample> samples, sampling::SampleSink& sink);

 private:
  void learn(const sampling::RawSample& sample, const sampling::Walked& walked);

  Kernel& kernel_;
  sampling::Unwinder& unwinder_;
  std::unordered_map<uint32_t, uint64_t> tops_;  // by tid
};

}  // namespace compmond::sampler
