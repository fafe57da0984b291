// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

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
  // Becomes readable when there is something to take; owned by this.
  const Fd& fd() const { return fd_; }

 private:
  std::mutex mutex_;
  std::unordered_set<pid_t> waiting_;
  Fd fd_;  // an eventfd
};

}  // namespace compmond::pipeline
