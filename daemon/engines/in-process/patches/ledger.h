// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iterator>
#include <map>

namespace compmond::inprocess {

// Which bytes of one image's code are written over: each by one patch.
class Ledger {
 public:
  bool free(uint64_t at, uint64_t size) const {
    const auto next = taken_.lower_bound(at);
    if (next != taken_.end() && next->first < at + size) return false;
    return next == taken_.begin() || std::prev(next)->second <= at;
  }
  void take(uint64_t at, uint64_t size) { taken_[at] = at + size; }

 private:
  std::map<uint64_t, uint64_t> taken_;  // begin to end
};

}  // namespace compmond::inprocess
