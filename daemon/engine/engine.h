// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/capture.h"
#include "engine/diagnosis.h"
#include "plan/cost.h"
#include "plan/plan.h"
#include "plan/planner.h"
#include "sampling/moved_code.h"

// What sees calls, in whatever way: probes of the kernel are one. Nothing else may know which.
namespace compmond::engine {

struct Traits {
  std::string name;                            // [a-z0-9-], as in plans, logs and snapshots
  std::vector<std::string> attach_words = {};  // its ways to attach, where --attach may name one
  uint32_t open_exits = 0;    // returns that it can await at once, per thread; 0: any number
  bool writes_target = true;  // into the targets' memory
  bool follows = false;       // its captures have Targets
  bool calls = true;          // each call is seen; else it only takes samples (Capture::samples)
  // What it places is in the memory of the program: gone once that executes another one.
  bool in_memory = false;
};

// Which processes a run observes, and with what memory.
struct CaptureOptions {
  TargetRule targets;
  size_t ring_bytes = 0;     // for what is on its way to us
  bool arrivals = true;      // it is the one whose events tell who comes
  bool guarded = false;      // floods are told: Capture::take_alarm
  bool all_threads = false;  // it tells of all threads' ends: another engine sees their calls, too
  // What engines lay into processes, for the one that takes samples; null: nobody asks.
  std::shared_ptr<sampling::MovedCodes> moved = nullptr;
};

// One engine of this build; to be asked in this order: attach_by(), planner(), calibrate(), open().
// Main thread.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual const Traits& traits() const = 0;
  // Tries no other way to attach than this one of its words.
  virtual void attach_by(const std::string& /*word*/) {}
  // What works here, what is missing and how it can be had; for `compmond doctor`, apart from runs.
  // Which engine it is of, Engines fills in.
  virtual Diagnosis diagnose() const = 0;
  // What it could do with functions of these files, in the child that reads them.
  virtual std::unique_ptr<plan::Planner> planner(
      const std::vector<plan::Candidate>& candidates) const = 0;
  // What it means for its ways that a target loads this file after they were planned; likewise in
  // a child.
  virtual plan::LaterRisk risk_of(const plan::Candidate& /*later*/) const { return {}; }
  // What an observed call costs on a machine of today.
  virtual plan::Costs typical_costs() const = 0;
  // Finds the best way in which it works here, and measures what an observed call costs then.
  // Exit::kNoPermission or Exit::kUnavailable when it does not work at all.
  virtual Result<plan::Costs> calibrate() = 0;
  // Gets ready for a run of this plan, in the way that calibrate() found. Errors as there.
  virtual Result<std::unique_ptr<Capture>> open(const plan::Plan& plan,
                                                const CaptureOptions& options) = 0;
};

}  // namespace compmond::engine
