// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace compmond::run {

// What a reader must know to trust the figures of a run, as sentences. Bounded: the first ones
// stay.
class Notes {
 public:
  void add(std::string text) {
    constexpr size_t kMost = 20;  // shown in full; a fork-heavy server would add one per process
    if (own_ < kMost) all_.insert(all_.begin() + std::ptrdiff_t(own_++), std::move(text));
  }
  // What others have to say, in place of what they said before.
  void tell_of_others(std::vector<std::string> notes) {
    all_.resize(own_);
    std::ranges::move(notes, std::back_inserter(all_));
  }
  // Others' last.
  const std::vector<std::string>& all() const { return all_; }

 private:
  std::vector<std::string> all_;
  size_t own_ = 0;  // of all_
};

}  // namespace compmond::run
