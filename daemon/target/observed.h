// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/fd.h"
#include "target/process.h"

namespace compmond::target {

// A program that a run observes. Of a run that was recorded there is no file.
struct Program {
  std::string exe;       // as its processes see it
  std::string build_id;  // lowercase hex, or empty
  std::shared_ptr<const Fd> file = nullptr;
  uint64_t device = 0, inode = 0;
};

// A process that is or was observed, and the CPU time it used meanwhile.
struct ObservedProcess {
  pid_t pid = 0;
  std::string exe;
  uint64_t start_ns = 0;  // CLOCK_BOOTTIME
  bool alive = true;
  uint64_t cpu_before_ns = 0;  // used before observation began
  uint64_t cpu_now_ns = 0;     // last known
  bool complete = false;       // it uses none any more that counts
  // Of its end, where it is known: when it was noticed, CLOCK_MONOTONIC, and one of the two.
  std::optional<uint64_t> ended_ns = {};
  std::optional<int> exit_status = {}, end_signal = {};
  std::string name = {};  // what it calls itself; empty where that is not known
};

// All processes of a run. Remembers the ended ones, newest kept up to a bound. Main thread.
class ObservedProcesses {
 public:
  ObservedProcesses() = default;
  // Those of a run that is over, as they were then: nothing is looked at any more.
  ObservedProcesses(std::vector<ObservedProcess> list, uint64_t cpu_used_ns, uint64_t forgotten = 0)
      : list_(std::move(list)),
        handles_(list_.size()),
        forgotten_(forgotten),
        forgotten_cpu_ns_(cpu_used_ns) {}

  // Adds a process. Not `fresh`: it ran before, and what CPU time it used then does not count. One
  // that is gone already is kept as ended, running `exe`. False when it is known, or gone, or no
  // descriptor is left to watch it with.
  bool add(pid_t pid, bool fresh, const std::string& exe);
  // Adds one of which only that it was there is known; nothing when its pid is known.
  void add_ended(pid_t pid, const std::string& exe);
  // One ended, or executes another program, having used so much CPU time: `complete`, or all but a
  // last part. False where it was over before it was met: then it is added, running `exe`.
  bool on_end(pid_t pid, const std::string& exe, uint64_t cpu_ns, bool complete);
  // Looks which still live and what CPU time they used.
  void refresh();
  // Observation begins: what those that ran before used until now does not count.
  void begin();
  const std::vector<ObservedProcess>& all() const { return list_; }
  uint64_t forgotten() const { return forgotten_; }  // ended ones beyond the bound
  // Those that were over, or executed another program, before they were met.
  uint64_t unmet() const { return unmet_; }
  // Those that no descriptor was left for: they are not in the list before they end.
  uint64_t unwatched() const { return unwatched_; }
  bool any_alive() const;
  bool alive(pid_t pid) const;
  uint64_t cpu_used_ns()
      const;  // since observation began, by all together, also by those forgotten

 private:
  std::vector<ObservedProcess> list_;
  std::vector<std::optional<Process>> handles_;  // parallel to list_; none once its end is known
  std::set<pid_t> unwatched_now_;                // they may be met again
  uint64_t forgotten_ = 0, forgotten_cpu_ns_ = 0, unmet_ = 0, unwatched_ = 0;
  void make_room();
  ObservedProcess& put_ended(pid_t pid, const std::string& exe);
  ObservedProcess* unfinished(pid_t pid);
};

}  // namespace compmond::target
