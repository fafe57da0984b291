// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/engines.h"
#include "plan/cost.h"
#include "plan/plan.h"
#include "plan/states.h"
#include "record/event.h"
#include "run/budget.h"
#include "run/notes.h"
#include "run/placement.h"

namespace compmond::run {

// Keeps what the probes cost within a share of the targets' CPU time: has the dearest operations
// paused, and brought back when it may have become quieter. One thread.
class Budgeter {
 public:
  struct Parts {  // all borrowed
    const plan::Plan& plan;
    plan::OperationStates& states;
    const plan::Costs& costs;
    const engine::Captures& captures;
    Placement& placement;
    Notes& notes;
    std::function<Placement::Program()> program;  // how the main program is to be placed now
    // As Pipeline::interrupt: closes what is open of these operations, or everything.
    std::function<void(uint64_t now_ns, std::vector<record::OperationId>)> interrupt;
  };
  // `percent` of the CPU time that the targets use; `start_ns`: observation began.
  Budgeter(Parts parts, double percent, uint64_t start_ns);

  // Four times a second: long enough to judge a rate, short enough to act within a second.
  bool due(uint64_t now_ns) const { return now_ns - looked_ns_ >= 250'000'000; }
  // `calls` per operation and `cpu_ns` of all targets, both since observation began.
  void look(std::span<const uint64_t> calls, uint64_t cpu_ns, uint64_t now_ns);
  // The same, if probes take most of the targets' time since the last look; else nothing.
  void glance(std::span<const uint64_t> calls, uint64_t cpu_ns, uint64_t now_ns);

 private:
  std::vector<OverheadBudget::Load> loads(std::span<const uint64_t> calls) const;
  void take_away(const std::vector<size_t>& operations);
  void bring_back(const std::vector<size_t>& operations, const std::string& reason);
  void place_again();

  Parts parts_;
  double percent_;
  uint64_t start_ns_;
  OverheadBudget budget_;
  uint64_t looked_ns_, looked_cpu_ns_ = 0;  // at the last look
  std::vector<uint64_t> looked_calls_;
};

}  // namespace compmond::run
