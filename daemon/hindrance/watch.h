// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hindrance/hindrances.h"
#include "plan/plan.h"
#include "plan/states.h"

namespace compmond::hindrance {

// Notices that system calls do not arrive any more which a process makes for probes: it came under
// a tracer, or dispatches them to itself, while it is observed. One thread.
class Watch {
 public:
  struct Finding {
    std::string hindrance;           // for people
    std::vector<size_t> operations;  // whose probes have to go
    uint64_t stood_ns = 0;           // when there was none, at the latest
  };

  // None where the kernel cannot be asked, or the plan has no probes that make system calls.
  static std::optional<Watch> open(const plan::Plan& plan);

  // As of now nothing hinders.
  void begin(uint64_t now_ns) { looked_ns_ = now_ns; }
  // Each second, while there are such operations.
  std::optional<Finding> look(uint64_t now_ns, std::span<const pid_t> processes,
                              const plan::OperationStates& states);

 private:
  Watch(const plan::Plan& plan, Hindrances hindrances)
      : plan_(&plan), hindrances_(std::move(hindrances)) {}

  const plan::Plan* plan_;
  Hindrances hindrances_;
  uint64_t looked_ns_ = 0;
};

}  // namespace compmond::hindrance
