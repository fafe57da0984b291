// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/placed.h"
#include "placing/notes.h"
#include "plan/plan.h"
#include "plan/states.h"

namespace compmond::run {

// What could not be placed in single processes, for people: each process and reason once, and of
// several processes with the same reason one.
class NotObserved {
 public:
  // Others go on being observed so, and this process is without it.
  void add(pid_t pid, const engine::Placed::Refusal& refusal);
  // Where it is of the whole process: the operation goes on otherwise, everywhere.
  void add_moved(pid_t pid, const engine::Placed::Refusal& refusal);
  // What was added since the last time, without what is of whole processes.
  void tell(const plan::Plan& plan, Notes& notes);
  // Of whole processes, as of now.
  std::vector<std::string> notes(const plan::Plan& plan, const plan::OperationStates& states) const;

 private:
  struct Whole {
    pid_t first = 0, last = 0;
    uint64_t processes = 0;
    std::set<size_t> moved, not_there;  // operations
  };
  Whole* whole(pid_t pid, const std::string& reason);

  std::map<std::pair<pid_t, std::string>, std::vector<size_t>> fresh_;
  std::map<std::string, Whole> whole_;  // by the reason
};

}  // namespace compmond::run
