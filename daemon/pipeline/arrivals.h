// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <mutex>
#include <unordered_set>
#include <vector>

#include "base/fd.h"

namespace compmond::pipeline {

// What the control side is to look at before it is due: processes that appeared, and floods of
// events. Any thread.
class Arrivals {
 public:
  Arrivals();
  void add(pid_t pid);
  void add_flood();
  // Those that came since the last call, each once.
  std::vector<pid_t> take();
  bool take_flood();  // whether there was one since the last call
  // Becomes readable when there is something to take; owned by this.
  const Fd& fd() const { return fd_; }

 private:
  std::mutex mutex_;
  std::unordered_set<pid_t> waiting_;
  bool flood_ = false;
  Fd fd_;  // an eventfd
};

}  // namespace compmond::pipeline
