// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/processes.h"

namespace compmond::run {

// What a reader must know to trust the figures of a run, as sentences. Bounded: the first ones
// stay.
class Notes {
 public:
  void add(std::string text) {
    if (own_ < kMost) all_.insert(all_.begin() + std::ptrdiff_t(own_++), std::move(text));
  }
  // In place of one that was added; like that where there is none.
  void replace(std::string_view before, std::string text) {
    const auto end = all_.begin() + std::ptrdiff_t(own_);
    if (const auto found = std::find(all_.begin(), end, before); found != end)
      *found = std::move(text);
    else
      add(std::move(text));
  }
  // Of a process, which stands between the two: of several it is one note.
  void add_of(const std::string& before, pid_t pid, const std::string& after) {
    const auto of = std::pair(before, after);
    if (own_ == kMost && !of_processes_.contains(of)) return;
    Processes& its = of_processes_[of];
    if (its.last == pid) return;
    its.first = its.all == 0 ? pid : its.first;
    its.last = pid;
    std::string text = before + text::processes(its.first, ++its.all) + after;
    replace(its.text, text);
    its.text = std::move(text);
  }
  // What others have to say, in place of what they said before.
  void tell_of_others(std::vector<std::string> notes) {
    all_.resize(own_);
    std::ranges::move(notes, std::back_inserter(all_));
  }
  // Others' last.
  const std::vector<std::string>& all() const { return all_; }

 private:
  static constexpr size_t kMost = 20;  // shown in full
  struct Processes {
    pid_t first = 0, last = 0;
    uint64_t all = 0;
    std::string text;  // the note
  };
  std::vector<std::string> all_;
  std::map<std::pair<std::string, std::string>, Processes> of_processes_;
  size_t own_ = 0;  // of all_
};

}  // namespace compmond::run
