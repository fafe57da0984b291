// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/window.h"
#include "engine/engines.h"
#include "intact/check.h"
#include "placing/later_loads.h"
#include "placing/not_observed.h"
#include "placing/notes.h"
#include "plan/plan.h"
#include "plan/states.h"
#include "target/observed.h"

namespace compmond::run {

// Which probes hang where. An image is attached once for all processes, unless strangers map it
// too: then process by process, since their calls would hit probes that are not for them; and so
// are libraries whose probes would harm strangers that come later. What an engine writes into the
// memory of processes is there process by process in any case. Where an image is attached once,
// each operation hangs apart from the others, of many operations each component, so that one can
// go and the others stay; in a slice, and in single processes, they hang together and go together.
// Those that see every call always hang apart from the others. One thread.
class Placement {
 public:
  // All borrowed. An operation that its engine refuses falls through to its next one, in `states`;
  // once an engine has taken it, it stays with that one.
  // `see_all`: per operation, whether it must see every call; empty: none must. `check` compares
  // the code in memory before anything is placed there for the first time; null: nobody does.
  Placement(const plan::Plan& plan, plan::OperationStates& states, const engine::Captures& captures,
            const target::ObservedProcesses& processes, Notes& notes,
            std::vector<bool> see_all = {}, intact::Check* check = nullptr);

  // How the main program is attached.
  enum class Program {
    kAsOthers,      // once for all, unless strangers run it
    kServer,        // once for all: it works in children, whose first call must hit; said in a note
    kAllProcesses,  // once for all, as asked for
  };
  // Hangs all probes of the plan that are neither refused nor paused, `told` of the steps. First it
  // looks who maps the images, which takes the right to see all processes; that holds for later.
  Result<void> place(Program program, const engine::StepsDone& told = {});
  // Hangs the probes of images that strangers map into a process that came later, and notes it.
  void place_in_newcomer(pid_t pid);
  // The process executed a program: what was placed in its memory is gone, and placed anew.
  void executed(pid_t pid, uint64_t at_ns);
  // Likewise where images were loaded since (dlopen). Returns what can be changed over by now.
  LaterLoads::Ways place_where_loaded(uint64_t now_ns);
  void miss(Window when);  // such a process was there, without probes in these images
  // What is not counted, as it came and went before probes could be placed in it: as of now.
  std::vector<std::string> notes() const;
  // Takes the probes of these operations away, with what hangs together with them, which is to be
  // brought back; returns when no handler of them runs any more.
  void take_away(std::span<const size_t> operations);
  std::vector<size_t> hang_with(std::span<const size_t> operations) const;  // without these
  // Hangs the probes of these operations, which were taken away, beside the others.
  enum class Hang {
    kApart,     // each may go alone
    kTogether,  // they go together, as soon as possible
  };
  Result<void> bring_back(std::span<const size_t> operations, plan::See see = plan::See::kCalls,
                          Hang how = Hang::kApart);
  // Likewise at other places than before: the code there is compared, as the first time.
  Result<void> place_anew(std::span<const size_t> operations);
  // Likewise by the engine of another way than before, which is in use now. Returns those that no
  // process takes so: they hang nowhere.
  Result<std::vector<engine::Placed::Refusal>> change_over(std::span<const size_t> operations);
  // Takes what watches transfers of control (Plan::transfers) away from everywhere, or watches them
  // again. They are watched wherever probes are placed until then.
  void watch_transfers(bool watch);
  void pause_transfers(bool pause);               // nor meanwhile
  bool hangs(size_t operation, pid_t pid) const;  // probes of it in the process
  void let_go_of_ended();  // of the probes of ended processes, on a thread of its own
  // Takes everything away; returns when no handler runs any more. Where each place has a link of
  // its own that can take many seconds: `told` of them as in engine::take_away.
  void remove(const engine::StepsDone& told);

 private:
  struct Hung {
    std::unique_ptr<engine::Placed> placed;
    std::vector<size_t> operations;  // whose probes these are
    bool transfers = false;          // it watches these, and is no operation's
    bool has(std::span<const size_t> some) const;
  };
  bool mapped_by_strangers(const plan::PlannedImage& image) const;
  Result<void> place_where_they_were(
      std::span<const size_t> operations, plan::See see, Hang how,
      const std::function<std::vector<size_t>(engine::Scope, std::vector<size_t>)>& choose);
  bool holds_operations(int image) const;
  bool hits_strangers(int image) const;
  bool apart(int image) const;  // attached process by process
  bool hangs_singly(size_t operation) const;
  bool any_singly(int image) const;
  std::vector<size_t> operations_of(engine::Scope scope) const;
  std::vector<size_t> hanging_in(engine::Scope scope, std::vector<size_t> of_image) const;
  Result<void> attach(engine::Scope scope);
  std::vector<pid_t> processes_in(engine::Scope scope) const;
  std::vector<size_t> without_changed(engine::Scope scope, std::vector<size_t> operations);
  void leave_changed_transfers(engine::Scope scope);
  std::vector<std::vector<size_t>> groups(engine::Scope scope,
                                          const std::vector<size_t>& operations, Hang how) const;
  Result<void> attach(engine::Scope scope, const std::vector<size_t>& operations, plan::See see,
                      Hang how);
  Result<void> attach_in_processes(int image, const engine::StepsDone& told);
  Result<void> place_displaced();
  void place_loaded(engine::Scope scope, const std::vector<size_t>& operations, uint64_t since_ns);
  std::vector<engine::Placed::Refusal> change_over(engine::Scope scope,
                                                   std::span<engine::Captures::PlacedBy> placed);
  Result<void> hang(engine::Scope scope, std::vector<size_t> operations, plan::See see);
  void watch(engine::Scope scope);
  void change_watch(bool& which, bool to);
  bool falls_through(engine::Scope scope, const engine::Placed::Refusal& refusal);
  std::vector<engine::Scope> scopes_of(int image) const;
  bool inherits(size_t operation, pid_t pid) const;
  std::vector<std::unique_ptr<engine::Placed>> release(const std::function<bool(const Hung&)>& of);

  const plan::Plan& plan_;
  plan::OperationStates& states_;
  const engine::Captures& captures_;
  const target::ObservedProcesses& processes_;
  Notes& notes_;
  std::vector<bool> see_all_;  // per operation
  intact::Check* check_;       // null: none
  std::vector<Hung> hung_;
  std::vector<bool> taken_;                     // per operation: by the engine of its way in use
  std::optional<std::vector<bool>> strangers_;  // map an image of the plan; asked once
  std::vector<int> per_process_images_;
  std::vector<size_t> displaced_;  // operations that are to hang in another scope
  NotObserved not_observed_;
  uint64_t over_too_soon_ = 0;            // newcomers that ended while probes were placed in them
  bool watches_ = true, paused_ = false;  // transfers of control
  std::future<void> detaching_;           // probes of ended processes
  std::set<size_t> changed_transfers_;    // somewhere: they are watched nowhere any more
  LaterLoads later_;
};

}  // namespace compmond::run
