// SPDX-License-Identifier: Apache-2.0
#pragma once

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
    if (list_.size() < kMost) list_.push_back(std::move(text));
  }
  const std::vector<std::string>& all() const { return list_; }

 private:
  std::vector<std::string> list_;
};

}  // namespace compmond::run
