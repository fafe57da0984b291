// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/hash_mix.h"
#include "sampling/sample.h"

namespace compmond::sampling {

// What was found out last of frames; a compiler stands at some ten thousand. By hash: each has one
// place, and the last that came there keeps it. One thread.
template <class Value>
class FrameCache {
 public:
  // Null: it is to be found out.
  const Value* find(const Frame& frame) const {
    const Kept& kept = kept_[place(frame)];
    return kept.full && kept.frame == frame ? &kept.value : nullptr;
  }
  void put(const Frame& frame, const Value& value) { kept_[place(frame)] = {frame, value, true}; }
  void clear() { kept_.assign(kPlaces, {}); }

 private:
  static constexpr int kBits = 16;
  static constexpr size_t kPlaces = size_t(1) << kBits;
  struct Kept {
    Frame frame;
    Value value{};
    bool full = false;
  };
  static size_t place(const Frame& frame) {
    return hash_mix(frame.image, frame.vaddr) >> (64 - kBits);
  }
  std::vector<Kept> kept_ = std::vector<Kept>(kPlaces);
};

}  // namespace compmond::sampling
