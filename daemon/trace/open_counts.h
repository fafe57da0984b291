// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "core/limits.h"

namespace compmond::trace {

// How many frames of a thread each key (an operation, a component) has open, in memory that depends
// on what is open at once and not on how many keys there are. A key mostly has the place that its
// low bits name; while that is another key's, it is counted in a map.
template <size_t kPlaces>
class OpenCounts {
 public:
  // Returns whether it was not open before.
  bool open(uint32_t key) {
    Place& place = places_[key % kPlaces];
    if (place.count > 0 && place.tag == key / kPlaces) return ++place.count, false;
    if (place.count > 0 || in_crowd(key)) return open_in_crowd(key);
    place = {uint16_t(key / kPlaces), 1};
    return true;
  }
  bool contains(uint32_t key) const {
    const Place& place = places_[key % kPlaces];
    return (place.count > 0 && place.tag == key / kPlaces) || in_crowd(key);
  }
  // It is open.
  void close(uint32_t key) {
    Place& place = places_[key % kPlaces];
    if (place.count > 0 && place.tag == key / kPlaces)
      --place.count;
    else if (const auto at = crowd_->find(key); --at->second == 0)
      crowd_->erase(at);
  }

 private:
  struct Place {
    uint16_t tag = 0, count = 0;
  };
  static_assert(limits::kOperationsMany / kPlaces < UINT16_MAX);
  static_assert(limits::kStackFrames < UINT16_MAX);

  bool in_crowd(uint32_t key) const { return crowd_ && crowd_->count(key) > 0; }
  bool open_in_crowd(uint32_t key) {
    if (!crowd_) crowd_ = std::make_unique<std::unordered_map<uint32_t, uint32_t>>();
    return ++(*crowd_)[key] == 1;
  }

  std::array<Place, kPlaces> places_;
  std::unique_ptr<std::unordered_map<uint32_t, uint32_t>> crowd_;
};

}  // namespace compmond::trace
