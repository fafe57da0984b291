// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.h"
#include "pipeline/changes.h"
#include "placing/notes.h"
#include "placing/placement.h"
#include "plan/states.h"

namespace compmond::run {

// Takes probes away and hangs them again while others stay: tells the data side, and in the states
// what others missed meanwhile. One thread.
class Rehanger {
 public:
  using Operations = std::vector<size_t>;
  struct Parts {  // all borrowed
    plan::OperationStates& states;
    Placement& placement;
    Notes& notes;
    pipeline::Changes& changes;
    std::function<uint64_t()> clock;  // CLOCK_MONOTONIC
    std::function<void()> charge;     // the targets lost what a change takes from them
  };
  explicit Rehanger(Parts parts) : parts_(std::move(parts)) {}

  // Since then they are not seen any more. What hung together with them is missed for a moment.
  uint64_t take_away(const Operations& operations);
  // Since then they are seen again.
  uint64_t bring_back(const Operations& operations);
  // Likewise where the code there may be another since. Where that fails none of them is there.
  Result<uint64_t> bring_back_anew(const Operations& operations);
  // Likewise by the engine of another way, now in use, and since they were taken away at `gone_ns`.
  // Returns those that cannot be: they hang nowhere.
  std::vector<engine::Placed::Refusal> change_over(const Operations& operations, uint64_t gone_ns);
  // All of these and what hangs with them go at once, as of `now_ns`; which come back is to be told
  // next.
  Operations take_away_first(Operations operations, uint64_t now_ns);
  void bring_back_rest(const Operations& operations, uint64_t since_ns);

 private:
  void place(const Operations& operations);
  Operations with_others(Operations operations) const;
  void begin_change(uint64_t now_ns, const Operations& operations);

  Parts parts_;
};

}  // namespace compmond::run
