// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace compmond::sampling {

// Code that an engine laid into a process, and for what a thread that is in it stands: as if it
// were at `original`, with the stack pointer `depth` bytes higher. Code that was called from such
// code: where that goes on is what lies there on the stack.
struct MovedCode {
  uint64_t at = 0, size = 0;
  uint64_t original = 0;
  uint32_t depth = 0;
  bool called = false;  // `original` is nothing
};

// All of it, of all processes. Any thread.
class MovedCodes {
 public:
  // In place of what was there.
  void set(uint32_t pid, const std::vector<MovedCode>& codes) {
    std::map<uint64_t, MovedCode> now;
    for (const MovedCode& one : codes) now.insert_or_assign(one.at, one);
    const std::lock_guard lock(mutex_);
    all_[pid] = std::move(now);
  }
  std::optional<MovedCode> find(uint32_t pid, uint64_t address) const {
    const std::lock_guard lock(mutex_);
    const auto process = all_.find(pid);
    if (process == all_.end()) return std::nullopt;
    const auto after = process->second.upper_bound(address);
    if (after == process->second.begin()) return std::nullopt;
    const MovedCode& found = std::prev(after)->second;
    return address - found.at < found.size ? std::optional(found) : std::nullopt;
  }

 private:
  mutable std::mutex mutex_;
  std::map<uint32_t, std::map<uint64_t, MovedCode>> all_;  // by address
};

}  // namespace compmond::sampling
