// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "intact/check.h"
#include "plan/plan.h"
#include "plan/states.h"

namespace compmond::intact {

// Looks now and then whether probes still stand in the memory of processes: who maps code anew, or
// a debugger that deletes a breakpoint of its own, takes them away unseen. One thread.
class Watch {
 public:
  struct Finding {
    size_t operation = 0;
    pid_t pid = 0;
    bool changed = false;   // the code is another one; else the probe is not there,
    bool unloaded = false;  // as nothing of its file is
    uint64_t stood_ns = 0;  // when it was as it should be, at the latest
  };
  // Whether probes of the operation hang in the process.
  using Hangs = std::function<bool(size_t operation, pid_t pid)>;

  // `check` is borrowed.
  Watch(const plan::Plan& plan, Check& check);
  // All that is placed stands: it is looked at for the first time 2 s later.
  void begin(uint64_t now_ns);

  // Every 2 s.
  bool due(uint64_t now_ns) const { return now_ns >= next_ns_; }
  // At a bounded number of places, the next ones each time, in turns. Each turn takes some ms where
  // the machine is busy; `interrupted`: there is something better to do than the next one now.
  std::vector<Finding> look(uint64_t now_ns, const std::vector<pid_t>& processes,
                            const plan::OperationStates& states, const Hangs& hangs,
                            const std::function<bool()>& interrupted);

  // What is in a process' own memory is gone with a library that it unloads, and not back with it:
  // of each library at one place, and where that is gone at all, every 100 ms at a few, in turns.
  std::vector<Finding> look_at_libraries(uint64_t now_ns, const std::vector<pid_t>& processes,
                                         const plan::OperationStates& states,
                                         const Hangs& hangs_alone);

 private:
  struct Part {  // of an image's operations
    int image = 0;
    std::vector<size_t> operations;
  };
  struct Turn {
    pid_t pid = 0;
    size_t part = 0;  // index in parts_
  };
  std::vector<size_t> hanging(const Turn& turn, const Hangs& hangs) const;
  void begin_round(uint64_t now_ns, const std::vector<pid_t>& processes);

  const plan::Plan& plan_;
  Check& check_;
  std::vector<Part> parts_;
  std::vector<Turn> turns_;  // of this round that are to come
  uint64_t next_ns_ = 0;
  uint64_t round_ns_ = 0, round_before_ns_ = 0;  // when they began
  std::vector<Turn> libraries_;                  // likewise of libraries
  uint64_t library_ns_ = 0, library_round_ns_ = 0, library_before_ns_ = 0;
};

}  // namespace compmond::intact
