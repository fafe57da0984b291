// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/window.h"
#include "plan/busy.h"
#include "plan/plan.h"
#include "plan/switches.h"

namespace compmond::plan {

// How one operation is observed at the moment.
struct OperationState {
  enum class Status : uint8_t {
    kAttached,
    kPaused,   // its probes are too dear at the moment and not there
    kOff,      // somebody switched it off: its probes are not there
    kRefused,  // nothing can observe it
  };
  Status status = Status::kAttached;
  size_t way = 0;      // in the operation's ways: that in use, or the one refused last
  std::string reason;  // why paused, off or refused; else what a reader should know
  Spans away;          // when its probes were not there
  Spans off;           // when of that as somebody switched it off
  Spans unseen;        // when they were, but not for all processes that may have called it; or from
                       // when on they were not any more, as it was refused

  bool refused() const { return status == Status::kRefused; }
  bool paused() const { return status == Status::kPaused; }
  bool is_off() const { return status == Status::kOff; }
  bool attached() const { return status == Status::kAttached; }
  // Not refused, or not from the start.
  bool was_observed() const { return !refused() || !unseen.empty(); }
  // Since when its status is so; none: since observation began.
  std::optional<uint64_t> since_ns() const;
};

// What becomes of a plan's operations during a run, by operation id: the one place that figures,
// log, snapshot and budget read. A value beside the plan, for which it is made.
class OperationStates {
 public:
  OperationStates() = default;
  // As planned: the first way of each operation that is not refused, with the reasons of those
  // before.
  explicit OperationStates(const Plan& plan);

  size_t size() const { return states_.size(); }
  const OperationState& operator[](size_t operation) const { return states_[operation]; }
  auto begin() const { return states_.begin(); }
  auto end() const { return states_.end(); }
  size_t observed() const;  // not refused

  // Its engine cannot place it: it goes on by the next one's way, with both reasons; refused where
  // there is none. Returns whether there is one.
  bool fall_through(const Plan& plan, size_t operation, const std::string& reason);
  // Refused for good, whatever other ways there are. Why those before its own cannot be stays
  // known.
  void refuse(size_t operation, const std::string& reason);
  // Likewise one that was observed until then: later calls are not known.
  void refuse_from(uint64_t now_ns, size_t operation, const std::string& reason);
  // Its way in use is not safe any more: it goes on by its engine's next one, if that `fits`; else
  // it is refused from then on. Returns whether it goes on. A pause goes on, too.
  bool change_over(const Plan& plan, size_t operation, uint64_t now_ns, const std::string& reason,
                   bool (*fits)(const Way& way));
  // It goes on by that way of the plan, which is not refused.
  void go_on_by(const Plan& plan, size_t operation, size_t way, const std::string& reason);
  // For this reason alone, as long as it lasts.
  void pause(size_t operation, uint64_t now_ns, std::string reason);
  // By somebody's wish. Nothing where it is refused or off already.
  void switch_off(size_t operation, uint64_t now_ns, std::string reason);
  // Ends that: nothing where it is not off. What was paused before is paused again, and the run
  // busy: the budget has to try it. Returns whether its probes are to be there.
  bool switch_on(size_t operation, uint64_t now_ns, const std::string& reason);
  // Of one that is off: whether it was paused before.
  bool is_for_budget(size_t operation) const { return !paused_for_[operation].empty(); }
  // Ends a pause: what a reader should know is what it was before, and `reason`. What was refused
  // meanwhile stays so.
  void come_back(size_t operation, uint64_t now_ns, const std::string& reason);
  // Its probes were away for a moment only, for others' to go.
  void missed(size_t operation, Window moment);
  // Some process may have called it then, unseen. Of what is refused that is known already.
  void unseen(size_t operation, Window when);
  // Likewise each one of these images.
  void unseen(const Plan& plan, std::span<const int> images, Window when);
  void set(size_t operation, OperationState state) { states_[operation] = std::move(state); }

  // Of the run.
  Busy& busy() { return busy_; }
  const Busy& busy() const { return busy_; }
  Switches& switches() { return switches_; }
  const Switches& switches() const { return switches_; }

 private:
  void choose(const PlannedOperation& planned, size_t operation, size_t from);
  void add_refusal(const PlannedOperation& planned, size_t operation, const std::string& reason);

  std::vector<OperationState> states_;
  Busy busy_;
  Switches switches_;
  std::vector<std::string> paused_for_;  // those that are off: why they were paused; else empty
  std::vector<std::string> refusals_;    // why the ways before that in use cannot be
  std::vector<std::string> known_;       // of that in use, with these: what a reader should know
};

// When in the window any of these operations was paused: one span where theirs touch.
std::vector<Window> away_in(const OperationStates& states, const std::vector<size_t>& operations,
                            Window window);

// How it is observed, or would have been.
inline const Way& way_of(const Plan& plan, const OperationStates& states, size_t operation) {
  return plan.operations[operation].ways[states[operation].way];
}

// Whether an engine writes into the targets' code, for which it has to trace them.
bool writes_code(const Plan& plan, const OperationStates& states);

// How it would be observed if its engine could not place it; null: not at all.
const Way* next_way(const Plan& plan, const OperationStates& states, size_t operation);

// Where nothing is observed: that, and each operation's reason on a line of its own.
std::string why_none_is_observed(const Plan& plan, const OperationStates& states);

}  // namespace compmond::plan
