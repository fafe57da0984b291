// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "budget/budget.h"
#include "plan/states.h"

namespace compmond::run {

// Decides when a run is busy, whose probes are away then, and when all are tried again: pure, told
// everything. It becomes busy when the kernel says that probes take most of a thread's time, or
// when the budget binds at two looks in a row; whole again when a try of all probes shows that they
// fit, at the earliest 10 s after the last ones went. A try that shows that they do not doubles the
// pause until the next; a target that was idle for 10 s is tried whatever the pause.
class BusyWatch {
 public:
  // `see_all`: per operation, whether it must see every call.
  BusyWatch(double percent, std::vector<bool> see_all)
      : budget_(percent), see_all_(std::move(see_all)) {}

  struct Decision {
    std::vector<size_t> take_away;  // dearest first; in order of the plan, what stays is the rest
    bool try_all = false;           // those that are away are to be hung
    bool whole = false;             // the run is: nothing is away any more
    bool all_seen = true;           // those that must see every call do
    // Of all probes, where they were all there: what they took of the CPU time; else 0.
    double whole_pct = 0;
  };
  // `seen`: since the last look; `alarm`: the kernel's. Who is told carries the decision out in
  // `states`; a run with something to take away is busy.
  // `all_fit`: as slices saw those that are away; with it a try only confirms what they say.
  Decision look(const Seen& seen, const plan::OperationStates& states, bool alarm, uint64_t now_ns,
                std::optional<bool> all_fit = std::nullopt);
  // The try that the last look asked for was not made: it is asked for again after the same pause.
  void put_off(uint64_t now_ns);
  // When the next look is due, from the last one on: in a try sooner.
  uint64_t every_ns() const { return trying_ ? kTryNs : kLookNs; }
  bool tries() const { return trying_; }

 private:
  // Long enough to judge a rate, short enough to act within a second.
  static constexpr uint64_t kLookNs = 250'000'000;
  // The target is slow meanwhile: 1 % of the time at the shortest pause.
  static constexpr uint64_t kTryNs = 100'000'000;

  std::vector<size_t> dear(const Seen& seen, const plan::OperationStates& states,
                           const OverheadBudget::Kept& kept, bool alarm) const;
  void pause(bool longer, uint64_t now_ns);

  OverheadBudget budget_;
  std::vector<bool> see_all_;
  bool was_above_ = false;  // at the last look
  bool trying_ = false;
  double whole_pct_ = 0;  // the newest that is known
  uint64_t whole_since_ns_ = 0;
  uint64_t taken_ns_ = 0;  // when some were taken away last
  uint64_t loud_ns_ = 0;   // when a busy target was last seen doing too much for all
  uint64_t pause_ns_ = 0;  // the last pause's length
  uint64_t next_try_ns_ = 0;
};

}  // namespace compmond::run
