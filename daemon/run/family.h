// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/window.h"
#include "engine/engine.h"
#include "placing/notes.h"
#include "placing/placement.h"
#include "prepare/options.h"
#include "prepare/target_set.h"
#include "target/observed.h"

namespace compmond::run {

// The processes of a run: those that were given, what they fork, and with --exe all that run the
// program. One thread.
class Family {
 public:
  // All borrowed: what was asked for, what was found for it, whom the engines watch, and where it
  // is said whose processes they are.
  Family(const prepare::TargetOptions& asked, const prepare::TargetSet& given,
         engine::Targets& watched, Notes& notes)
      : asked_(asked), given_(given), watched_(watched), notes_(notes) {}

  // Has the given processes watched, and what they forked between being found and the moment when
  // forks began to be followed.
  Result<void> adopt();
  // Those that are watched without having been announced.
  std::vector<pid_t> watched() const { return watched_.all(); }
  // Looks who came of `arrived`, who still lives, and, where nobody seems to, who else came
  // meanwhile. Returns the newcomers: probes may have to be placed in them.
  std::vector<pid_t> look(std::span<const pid_t> arrived);

  // When processes were there that ended, or executed another program, before they were met, or
  // that cannot be looked after; those since it was asked last.
  std::vector<Window> take_unmet() { return std::exchange(unmet_, {}); }

  // How often one that should be observed found no place.
  uint64_t without_place() const { return watched_.without_place() + not_adopted_.size(); }
  // What is to be said of those that are not, or not wholly, observed.
  std::vector<std::string> notes() const;

  // Looks what CPU time they used, and who still lives.
  void refresh() { processes_.refresh(); }
  void begin() { processes_.begin(); }

  // Whether one still lives. With --exe later processes may come, so this stays true.
  bool lives() const;
  // How the main program is to be placed for them.
  Placement::Program program() const;
  // Strangers that run the main program, this file, where it is placed for all that do. Takes the
  // right to look at them.
  std::vector<pid_t> bystanders(uint64_t device, uint64_t inode) const;
  const target::ObservedProcesses& processes() const { return processes_; }

 private:
  Result<bool> adopt(pid_t pid, const std::string& exe);
  Result<size_t> adopt_newly_found();
  bool add(pid_t pid, bool fresh, const std::string& exe);
  bool meet(pid_t pid);
  std::string exe_of(pid_t pid) const;
  void take_ends();
  void look_whose(pid_t pid);

  const prepare::TargetOptions& asked_;
  const prepare::TargetSet& given_;
  engine::Targets& watched_;
  Notes& notes_;
  std::set<uid_t> users_;  // of those that no observed process forked
  target::ObservedProcesses processes_;
  std::vector<Window> unmet_;
  std::set<pid_t> not_adopted_;  // as there was no place
  uint64_t untold_ends_ = 0;     // as seen last
  uint64_t looked_ns_ = 0;       // after ends
};

}  // namespace compmond::run
