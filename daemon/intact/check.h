// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/placed.h"
#include "intact/looker.h"
#include "plan/plan.h"
#include "plan/states.h"

namespace compmond::intact {

// Compares the code of processes with what a plan was made of, before probes are placed and once
// they are gone. One thread.
class Check {
 public:
  Check(const plan::Plan& plan, Looker looker) : plan_(plan), looker_(std::move(looker)) {}

  struct Change {
    engine::Placed::Refusal refusal;
    bool moved = false;  // its code is none of the file's any more: samples do not know it either
  };
  // Those of `operations`, which live in `image`, where no probe may be placed in this process,
  // since its code is not known to be as its file, or the kernel would place none, with the reason.
  // None of a process that is gone, or may not be looked into.
  std::vector<Change> changed(const plan::OperationStates& states, pid_t pid, int image,
                              std::span<const size_t> operations);
  // From here on a breakpoint may be one of ours, also in a process that comes later.
  void begin() { begun_ = true; }
  // Of the transfers of control in `image` (indices in the plan's) those whose code is not as the
  // file.
  std::vector<size_t> changed_transfers(pid_t pid, int image);
  // Of those of `operations` that can be looked at: the worst that stands at their places.
  std::map<size_t, Found> worst(const plan::OperationStates& states, pid_t pid, int image,
                                std::span<const size_t> operations);
  // Once all probes are gone: the names of operations and transfers in `image` at which there is by
  // now what the file does not have; none of a process that is gone.
  struct Left {
    std::vector<std::string> breakpoints;
    std::vector<std::string> other_code;
    pid_t debugger = 0;  // who holds the process; 0: nobody
    bool looked = true;  // else it could not be, within the time that there was
  };
  Left left(const plan::OperationStates& states, pid_t pid, int image, uint64_t within_ns);
  // Else that is told.
  bool may_look() const { return !may_not_look_; }
  // What a reader should know of what was seen since.
  std::vector<std::string> take_notes() { return std::exchange(notes_, {}); }

 private:
  // Memory may be mapped so that reading it waits for its owner.
  static constexpr uint64_t kPatienceNs = 5'000'000'000;
  struct Sites {
    std::vector<Site> all;
    std::vector<size_t> owners;  // of each: an operation, or a transfer behind all operations
  };
  struct Seen {
    std::map<size_t, Found> worst;  // per owner of a site
    bool handles_traps = false;
    pid_t debugger = 0;
    bool could = true;  // it was looked at, or is gone
  };
  void add(const plan::Way& way, int image, size_t owner, Sites& sites) const;
  void add(const plan::OperationStates& states, int image, std::span<const size_t> operations,
           Sites& sites) const;
  void add_probed(const plan::OperationStates& states, int image,
                  std::span<const size_t> operations, Sites& sites) const;
  void add_transfers(int image, Sites& sites) const;
  Seen look(pid_t pid, int image, const Sites& sites, uint64_t within_ns = kPatienceNs);
  void remember_others(pid_t pid, const Seen& seen);
  void tell_of(pid_t pid, const Look& seen);
  const std::string& name_of(size_t owner) const;

  const plan::Plan& plan_;
  Looker looker_;
  std::vector<std::string> notes_;
  std::set<std::pair<pid_t, size_t>> others_;  // owners: what was there is somebody else's
  bool begun_ = false;
  bool may_not_look_ = false;  // and that is said
  std::set<pid_t> debugged_;   // and that is said
};

}  // namespace compmond::intact
