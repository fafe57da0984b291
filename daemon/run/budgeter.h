// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "budget/busy_watch.h"
#include "pipeline/pipeline.h"
#include "placing/notes.h"
#include "placing/placement.h"
#include "placing/rehanger.h"
#include "plan/cost.h"
#include "plan/plan.h"
#include "plan/states.h"
#include "record/event.h"

namespace compmond::run {

// Keeps what observing costs within a share of the targets' CPU time: has what is too dear for
// probes go on by another engine, where one sees it for less; else takes the probes of dear
// operations away, hangs them again when it may have become quieter, and keeps in the states
// whether the run is busy. One thread.
class Budgeter {
 public:
  struct Parts {  // all borrowed
    const plan::Plan& plan;
    plan::OperationStates& states;
    const plan::Costs& costs;
    Placement& placement;
    Notes& notes;
    pipeline::Changes& changes;
    // All since observation began: what the probes were hit; of all targets, now, CPU time; and
    // what samples cost them of it.
    std::function<pipeline::Counts()> counts;
    std::function<uint64_t()> cpu_ns, samples_ns;
    std::function<plan::Strangers()> strangers;  // likewise
    std::function<uint64_t()> clock;             // CLOCK_MONOTONIC
    // Whether the targets have room for what probes of these, which are away, take of memory.
    std::function<bool(const std::vector<size_t>&)> room;
    // Of all that are away, as slices saw them: whether they would fit. None: not known.
    std::function<std::optional<bool>()> all_fit = [] { return std::optional<bool>(); };
    // Likewise what some of them (per operation) would take of the CPU time, in percent.
    std::function<std::optional<double>(const std::vector<bool>&)> away_pct =
        [](const std::vector<bool>&) { return std::optional<double>(); };
    // Likewise their calls per ns of the targets' own CPU time; 0 where it is none of them.
    std::function<std::optional<double>(const std::vector<bool>&)> away_per_ns = none_away;
  };
  // `percent` of the CPU time that the targets use; `see_all`: per operation, whether it must see
  // every call; `start_ns`: observation began.
  Budgeter(Parts parts, double percent, std::vector<bool> see_all, uint64_t start_ns);

  bool due(uint64_t now_ns) const { return now_ns - looked_ns_ >= watch_.every_ns(); }
  void look(uint64_t now_ns);
  // Whether all that is away is there for a moment, to see what it costs.
  bool tries() const { return watch_.tries(); }
  // What observing took from the targets beside calls and samples.
  void charge(double ns);
  // Probes came or went by somebody else's wish.
  void charge_change();
  // Of the budget, what is left beside calls that are counted, samples and changes; below 0 where
  // they take more.
  double left_pct() const { return left_pct_; }
  // The kernel says that probes take most of a thread's time: they go before anyone asks which.
  void alarm();

 private:
  using Operations = Rehanger::Operations;
  static std::optional<double> none_away(const std::vector<bool>& away) {
    return std::ranges::count(away, true) > 0 ? std::nullopt : std::optional(0.0);
  }
  Operations suspects() const;
  Seen seen(uint64_t now_ns, uint64_t cpu_ns);
  std::vector<Seen::Load> loads(const pipeline::Counts& counts) const;
  double of_each_told(const pipeline::Counts& counts) const;
  void add_strangers(std::vector<Seen::Load>& loads);
  double transfers_ns(const pipeline::Counts& counts) const;
  void foresee(const Seen& seen);
  void keep_transfers(const Seen& seen, uint64_t now_ns);
  void carry_out(const BusyWatch::Decision& decision, const Operations& gone, const Seen& seen,
                 uint64_t now_ns);
  const plan::Way* cheaper_way(size_t operation) const;
  Operations with_those_worth_it(Operations operations, const Seen& seen) const;
  Operations change_over(const Operations& operations, const Seen& seen, uint64_t gone_ns);
  void note(const BusyWatch::Decision& decision, const Operations& away, uint64_t now_ns);
  std::string too_dear(size_t operation, const Seen& seen) const;
  void pause(const Operations& operations, const Seen& seen, uint64_t since_ns);
  void try_all(uint64_t now_ns);
  std::vector<bool> away(bool all) const;
  void see_again(const Operations& operations);
  void say_not_all_seen(const Operations& unseen, uint64_t now_ns);
  std::string since_start(uint64_t now_ns) const;

  Parts parts_;
  double percent_;
  uint64_t start_ns_;
  Rehanger rehanger_;
  BusyWatch watch_;
  TransferBudget transfers_;
  std::vector<bool> see_all_;
  std::vector<bool> stays_with_probes_;  // per operation: no process takes it otherwise
  std::set<size_t> over_;                // those that went on by another engine
  std::string over_note_;                // of them
  Operations tried_;                     // in the last try
  bool said_ = false;                    // that some of see_all_ do not
  double left_pct_ = 0;
  // What observing cost beside calls and samples: all, and, of probes that came or went, what no
  // look was told yet.
  uint64_t changes_ns_ = 0;
  double uncharged_ns_ = 0;
  // As of the last look.
  uint64_t looked_ns_, cpu_ns_ = 0, samples_ns_ = 0;
  pipeline::Counts counts_;
  plan::Strangers strangers_;
};

}  // namespace compmond::run
