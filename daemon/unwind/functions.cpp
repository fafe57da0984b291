// SPDX-License-Identifier: Apache-2.0
#include "unwind/functions.h"

#include <iterator>

#include "core/limits.h"

namespace compmond::unwind {

bool Functions::known(const sampling::Frame& frame) const {
  const auto image = told_.find(frame.image);
  if (image == told_.end()) return false;
  const auto behind = image->second.upper_bound(frame.vaddr);
  return behind != image->second.begin() && frame.vaddr < std::prev(behind)->second;
}

void Functions::meet(std::span<const sampling::Frame> frames,
                     std::vector<sampling::Function>& out) {
  out.clear();
  for (const sampling::Frame& frame : frames) {
    if (count_ == limits::kFunctions) return;
    if (met_.find(frame)) continue;
    met_.put(frame, true);
    if (frame.image < sampling::kVdso || frame.vaddr == 0 || known(frame)) continue;
    ++count_;
    auto function = images_.function(frame.image, frame.vaddr);
    if (!function) {  // not to be looked up again
      told_[frame.image][frame.vaddr] = frame.vaddr + 1;
      continue;
    }
    told_[frame.image][function->start] = function->end;
    out.push_back(std::move(*function));
  }
}

}  // namespace compmond::unwind
