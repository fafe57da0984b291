// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <mutex>
#include <unordered_set>
#include <vector>

#include "base/fd.h"

namespace compmond::pipeline {

// Processes that appeared, for the control side to look at. Any thread.
class Arrivals {
 public:
  Arrivals();
  void add(pid_t pid);
  // Those that came since the last call, each once.
  std::vector<pid_t> take();
  // Likewise processes that executed a program, and when.
  struct Executed {
    pid_t pid = 0;
    uint64_t at_ns = 0;
  };
  void add_executed(Executed executed);
  std::vector<Executed> take_executed();
  // Becomes readable when there is something to take; owned by this.
  const Fd& fd() const { return fd_; }

 private:
  std::mutex mutex_;
  std::unordered_set<pid_t> waiting_;
  std::vector<Executed> executed_;
  Fd fd_;  // an eventfd
};

}  // namespace compmond::pipeline
