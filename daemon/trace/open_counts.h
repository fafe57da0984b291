// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace compmond::trace {

// How often each key is open, in memory that depends on what is open at once and not on how many
// keys there are. A key mostly has the place that its low bits name; while that is another key's,
// it is counted in a map.
template <size_t kPlaces>
class OpenCounts {
 public:
  // Returns whether it was not open before.
  bool open(uint32_t key) {
    Place& place = places_[key % kPlaces];
    if (place.count > 0 && place.key == key) return ++place.count, false;
    if (place.count > 0 || (crowded_ && crowded_->count(key) > 0)) return open_crowded(key);
    place = {key, 1};
    return true;
  }
  // Whether it is open.
  bool contains(uint32_t key) const {
    const Place& place = places_[key % kPlaces];
    if (place.count > 0 && place.key == key) return true;
    return crowded_ && crowded_->count(key) > 0;
  }
  // It is open.
  void close(uint32_t key) {
    Place& place = places_[key % kPlaces];
    if (place.count > 0 && place.key == key)
      --place.count;
    else if (const auto at = crowded_->find(key); --at->second == 0)
      crowded_->erase(at);
  }

 private:
  struct Place {
    uint32_t key = 0, count = 0;
  };
  bool open_crowded(uint32_t key) {
    if (!crowded_) crowded_ = std::make_unique<std::unordered_map<uint32_t, uint32_t>>();
    return ++(*crowded_)[key] == 1;
  }

  std::array<Place, kPlaces> places_;
  std::unique_ptr<std::unordered_map<uint32_t, uint32_t>> crowded_;
};

}  // namespace compmond::trace
