// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "sampling/moved_code.h"
#include "sampling/unwinder.h"

namespace compmond::unwind {

// Has samples unwound by another one, as if threads in code that an engine laid into their process
// were where that stands for. One thread.
class MovedPlaces : public sampling::Unwinder {
 public:
  // `unwinder` outlives this; `codes` may be null: there is no such code.
  MovedPlaces(sampling::Unwinder& unwinder, std::shared_ptr<const sampling::MovedCodes> codes)
      : unwinder_(unwinder), codes_(std::move(codes)) {}

  void add(const sampling::Image& image, const Fd& file) override { unwinder_.add(image, file); }
  void name_code(uint32_t pid, sampling::ImageNumber image, const Fd& perf_map) override {
    unwinder_.name_code(pid, image, perf_map);
  }
  void map(uint32_t pid, const sampling::Mapping& mapping) override { unwinder_.map(pid, mapping); }
  void fork(uint32_t parent, uint32_t child) override { unwinder_.fork(parent, child); }
  void forget(uint32_t pid) override { unwinder_.forget(pid); }
  void walk(std::span<const sampling::RawSample> samples,
            const std::function<void(size_t index, const sampling::Walked& walked)>& take) override;

 private:
  sampling::Unwinder& unwinder_;
  std::shared_ptr<const sampling::MovedCodes> codes_;
  std::vector<sampling::RawSample> samples_;
  std::vector<cm_sample> heads_;
};

// Its place as it is without such code; false, and nothing changed, where it is in none, or what
// leads out of it is not at hand. `head` is a copy of the sample's, which has it afterwards.
bool move_back(sampling::RawSample& sample, cm_sample& head, const sampling::MovedCodes& codes);

}  // namespace compmond::unwind
