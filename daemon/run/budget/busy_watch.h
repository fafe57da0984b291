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
// pause until the next; a target that was idle for 10 s is tried whatever the pause. Those that
// must see every call go when they alone take more than half of the budget, or most of a thread's
// time, and come back when slices say that they would not any more.
class BusyWatch {
 public:
  // `see_all`: per operation, whether it must see every call.
  BusyWatch(double percent, std::vector<bool> see_all)
      : budget_(percent), see_all_(std::move(see_all)) {}

  struct Decision {
    std::vector<size_t> take_away;   // dearest first; in order of the plan, what stays is the rest
    std::vector<size_t> bring_back;  // those that must see every call, as they may again
    bool try_all = false;            // those that are away are to be hung
    bool whole = false;              // the run is: nothing is away any more
    std::vector<size_t> unseen;      // of what goes, those that must see every call
    // Of all probes, where they were all there: what they took of the CPU time; else 0.
    double whole_pct = 0;
  };
  // What slices saw of those that are away. None: not known.
  struct Sliced {
    std::optional<bool> all_fit;        // with it a try only confirms what they say
    std::optional<double> see_all_pct;  // of the CPU time: what would take those of `see_all`
  };
  // `seen`: since the last look; `alarm`: the kernel's. Who is told carries the decision out in
  // `states`; a run with something to take away is busy.
  Decision look(const Seen& seen, const plan::OperationStates& states, bool alarm, uint64_t now_ns,
                const Sliced& sliced = {});
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

  std::vector<bool> stays(const Seen& seen, bool alarm) const;
  std::vector<size_t> dear(const Seen& seen, const plan::OperationStates& states,
                           const std::vector<bool>& stays, bool alarm) const;
  bool must(size_t i) const { return i < see_all_.size() && see_all_[i]; }
  std::vector<size_t> seen_again(const Seen& seen, const plan::OperationStates& states,
                                 const Sliced& sliced, uint64_t now_ns) const;
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
