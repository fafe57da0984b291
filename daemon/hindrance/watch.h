// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hindrance/hindrances.h"
#include "plan/plan.h"
#include "plan/states.h"

namespace compmond::hindrance {

// Notices that system calls do not arrive any more which a process makes for probes: it came under
// a tracer, or dispatches or filters them, while it is observed. Each such probe could end it:
// operations go on by ways without, or not at all. One thread.
class Watch {
 public:
  using Tell = std::function<void(std::string)>;  // what a reader of the figures should know
  // None where the plan has no probes that make system calls; else what `hindrances` has for an
  // error. Borrows the plan.
  static Result<std::optional<Watch>> of(const plan::Plan& plan, Result<Hindrances> hindrances);

  // As of now nothing hinders.
  void begin(uint64_t now_ns) { looked_ns_ = now_ns; }
  // Each second, while there are such operations. Returns those whose probes have to go, or to be
  // placed anew, by `states`, in which it is said.
  std::vector<size_t> look(uint64_t now_ns, std::span<const pid_t> processes,
                           plan::OperationStates& states, const Tell& tell);

 private:
  Watch(const plan::Plan& plan, Hindrances hindrances)
      : plan_(&plan), hindrances_(std::move(hindrances)) {}

  const plan::Plan* plan_;
  Hindrances hindrances_;
  uint64_t looked_ns_ = 0;
};

// That nobody looks for that, and why.
std::string note_of_none(const Error& why);

}  // namespace compmond::hindrance
