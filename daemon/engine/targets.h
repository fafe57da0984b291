// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <vector>

#include "base/result.h"

namespace compmond::engine {

// The processes that a run observes, forks of targets among them as soon as they begin. Any thread.
class Targets {
 public:
  virtual ~Targets() = default;
  // Exit::kNoInput where it is told that the process is gone.
  virtual Result<void> add(pid_t pid) = 0;
  virtual void remove(pid_t pid) = 0;
  virtual bool has(pid_t pid) const = 0;
  virtual std::vector<pid_t> all() const = 0;
};

}  // namespace compmond::engine
