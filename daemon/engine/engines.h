// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/all_targets.h"
#include "engine/engine.h"
#include "plan/states.h"
#include "record/event.h"

namespace compmond::engine {

// The engines at work in one run, in the order of their trial. Threads as of a Capture.
class Captures {
 public:
  struct One {
    Traits traits;
    std::unique_ptr<Capture> capture;  // null: it does not work here
    std::string why_not;
    bool used = false;  // the plan has ways of it
  };
  // At least one follows.
  explicit Captures(std::vector<One> all);

  struct PlacedBy {  // one engine
    std::unique_ptr<Placed> placed;
    std::vector<size_t> operations;  // that it was asked for
  };
  // Places each of `operations` by the engine of its way in use, all of one engine together. What
  // an engine refuses, or all that would be its where it does not work, are refusals. Errors as of
  // Capture::place.
  Result<std::vector<PlacedBy>> place(const plan::Plan& plan, const plan::OperationStates& states,
                                      Scope scope, std::span<const size_t> operations,
                                      plan::See see = plan::See::kCalls) const;
  // Watches the transfers of control in scope.image, by each engine that can, but for those
  // `without` (indices in the plan's).
  Result<std::vector<std::unique_ptr<Placed>>> watch(const plan::Plan& plan, Scope scope,
                                                     const std::set<size_t>& without) const;

  // As of Capture: in that image, by its operations' ways in use.
  bool harms_strangers(const plan::Plan& plan, const plan::OperationStates& states,
                       int image) const;

  bool by_process(const plan::Way& way) const;

  // Of the one that counts them.
  plan::Strangers strangers(const plan::Plan& plan, const plan::OperationStates& states) const;

  // Returns that can be awaited at once, per thread.
  uint32_t open_exits() const;
  // For record::Merge: of the one that follows, which knows ends of threads, and of those that see
  // calls.
  std::vector<record::EventSource*> sources() const;
  sampling::SampleSource* samples() const;  // of the one that takes some; null: none does
  void record(Recording recording) const;
  // As of Capture, of all of them.
  std::vector<int> alarm_fds() const;
  std::optional<Alarm> take_alarm() const;
  // As of Capture, of the first that does.
  Result<std::unique_ptr<InputCounting>> count_inputs() const;
  void set_slice(uint32_t number) const;
  // Whom the first that follows observes: the one source of that. The others that keep a list of
  // their own are told who is added and removed; a process that one of them cannot add becomes a
  // note. Lives as long as this, also when this is moved.
  Targets& targets() const { return *targets_; }

  // Of those at work that the plan can use.
  struct AtWork {
    const Traits& traits;
    std::string attach;  // Capture::attach
  };
  std::vector<AtWork> at_work() const;
  std::vector<std::string> notes() const;
  std::vector<std::string> end() const;  // as of Capture, of all of them
  bool opens_perf_events() const;

 private:
  const One* of(const plan::Way& way) const;

  std::vector<One> all_;
  std::unique_ptr<AllTargets> targets_;
};

// All engines of this build, in the order in which they are tried. Main thread.
class Engines {
 public:
  explicit Engines(std::vector<std::unique_ptr<Engine>> all);

  std::vector<std::string> names() const;
  // Goes on with the one of that name alone, or with all: kAuto.
  static constexpr const char* kAuto = "auto";
  void choose(const std::string& name);
  void choose_those_that_see_calls();
  bool see_calls() const;                     // one of them does
  std::vector<std::string> samplers() const;  // names of those that see none, but take samples
  // Words for --attach, of all of them.
  std::vector<std::string> attach_words() const;
  // Has those that know the word attach in this way alone.
  void attach_by(const std::string& word);
  // In their order.
  std::vector<Diagnosis> diagnose() const;
  // For the plan: each operation is asked of all. Borrows the engines.
  std::vector<plan::PlannerOf> planners() const;
  // As Engine::risk_of, by the first that sees a risk.
  plan::LaterRisk risk_of(const plan::Candidate& later) const;
  plan::Costs typical_costs() const;
  // Finds out which work here, and what their calls cost. The first one's error where none does.
  Result<plan::Costs> calibrate();
  // Those that work and that the plan can use, and the first that follows processes in any case.
  // The first one's error where none of them does.
  Result<Captures> open(const plan::Plan& plan, const CaptureOptions& options);

 private:
  struct One {
    std::unique_ptr<Engine> engine;
    std::optional<Error> why_not;  // it does not work here; none: it may
  };
  std::vector<One> all_;
};

}  // namespace compmond::engine
