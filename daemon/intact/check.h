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

// Compares the code of processes with what a plan was made of, before probes are placed. One
// thread.
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
  // What a reader should know of what was seen since.
  std::vector<std::string> take_notes() { return std::exchange(notes_, {}); }

 private:
  struct Seen {
    std::map<size_t, Found> worst;  // per owner of a site
    bool handles_traps = false;
  };
  Seen look(pid_t pid, int image, const std::vector<Site>& sites,
            const std::vector<size_t>& owners);
  Seen look(const plan::OperationStates& states, pid_t pid, int image,
            std::span<const size_t> operations);
  void tell_of(pid_t pid, const Look& seen);

  const plan::Plan& plan_;
  Looker looker_;
  std::vector<std::string> notes_;
  bool begun_ = false;
  bool may_not_look_ = false;  // and that is said
  std::set<pid_t> debugged_;   // and that is said
};

}  // namespace compmond::intact
