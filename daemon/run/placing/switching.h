// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "placing/placement.h"
#include "placing/rehanger.h"
#include "plan/plan.h"
#include "plan/states.h"
#include "spec/model.h"

namespace compmond::run {

// Switches operations off and on again by somebody's wish, one by one or all together. What is off
// has no probes: it costs nothing, and calls of it are not seen. What was open then ends as lossy.
// One thread; never in a slice.
class Switching {
 public:
  struct Parts {  // all borrowed
    const spec::Spec& spec;
    const plan::Plan& plan;
    plan::OperationStates& states;
    Placement& placement;
    Rehanger rehanger;
    std::function<uint64_t()> clock;  // CLOCK_MONOTONIC
    uint64_t start_ns;                // observation began
    // Whether the targets have room for what probes of these, which are away, take of memory.
    std::function<bool(const std::vector<size_t>&)> room;
    // Before probes go or come, and afterwards.
    std::function<void()> before_change = [] {}, after_change = [] {};
  };
  explicit Switching(Parts parts);

  // Those that `name` names: a component with all it contains, operations of that name, or a
  // pattern
  // (`*`, `?`) of paths and names. Tells what was done, for people. Exit::kData where it names
  // nothing that probes see.
  Result<std::string> set(const std::string& name, bool on);
  // All of them at once, what watches exceptions and jumps, too. Afterwards each is as it was
  // wished alone.
  Result<std::string> set_all(bool on);
  bool all_off() const { return all_off_; }

 private:
  using Operations = Rehanger::Operations;
  Result<Operations> named(const std::string& name) const;
  bool has_probes(size_t operation) const;
  Result<void> carry_out(const std::string& what, bool on);
  Result<void> bring_back(const Operations& operations);
  void take_away(const Operations& operations, uint64_t now_ns);
  std::string since_start(uint64_t now_ns) const;

  Parts parts_;
  std::vector<bool> off_;  // per operation, by its own
  bool all_off_ = false;
};

}  // namespace compmond::run
