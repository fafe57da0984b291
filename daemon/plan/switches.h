// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace compmond::plan {

// What somebody switched while the run was observed, oldest first. At most kMost: then the oldest
// goes, but for the newest one of all probes.
struct Switch {
  uint64_t at_ns = 0;  // CLOCK_MONOTONIC
  bool on = false;
  std::string what;  // as it was asked for: a component, an operation, a pattern; empty: all probes
  bool operator==(const Switch&) const = default;
};
struct Switches : std::vector<Switch> {
  using std::vector<Switch>::vector;
  static constexpr size_t kMost = 256;
  void add(Switch one) {
    if (size() == kMost) erase(begin() + (newest_of_all() == 0 ? 1 : 0));
    push_back(std::move(one));
  }
  // Whether somebody paused all probes last.
  bool all_off() const {
    const size_t newest = newest_of_all();
    return newest < size() && !(*this)[newest].on;
  }

 private:
  // Of all probes; else size().
  size_t newest_of_all() const {
    for (size_t i = size(); i-- > 0;)
      if ((*this)[i].what.empty()) return i;
    return size();
  }
};

// Of an operation: why nothing is seen.
inline std::string switched_off_since(const std::string& moment) {
  return "switched off since " + moment;
}

}  // namespace compmond::plan
