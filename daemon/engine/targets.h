// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"

namespace compmond::engine {

// The file that a program is.
struct ProgramFile {
  uint64_t inode = 0;
  uint32_t device = 0;  // st_dev; 0: compare the inode only
};

// Which processes are targets beside those that are added.
struct TargetRule {
  bool follow_forks = true;  // processes forked by a target
  bool all_of_exe = false;   // every process that executes the one program, also later ones
  // The observed programs, up to limits::kPrograms: a target that executes another file is none any
  // more. Empty: it stays one.
  std::vector<ProgramFile> programs = {};
  // Of all_of_exe: only those that this user executes, in this pid namespace (its inode number), in
  // this cgroup or below (its id); 0: in any.
  std::optional<uid_t> user = {};
  uint32_t pid_namespace = 0;
  uint64_t cgroup = 0;
};

// A target that ended, or executes a program that is none.
struct TargetEnd {
  pid_t pid = 0;
  uint64_t since_ns = 0;  // when it became a target, CLOCK_MONOTONIC
  uint64_t cpu_ns = 0;    // that all its threads ever used until then
  bool complete = false;  // else a last part is missing, and it is told again
};

// The processes that a run observes, forks of targets among them as soon as they begin. Any thread.
class Targets {
 public:
  virtual ~Targets() = default;
  // Exit::kNoInput where it is told that the process is gone, Exit::kUnavailable where there is no
  // place for another one.
  virtual Result<void> add(pid_t pid) = 0;
  virtual void remove(pid_t pid) = 0;
  // When it became a target, CLOCK_MONOTONIC; none: it is none.
  virtual std::optional<uint64_t> since(pid_t pid) const = 0;
  bool has(pid_t pid) const { return since(pid).has_value(); }
  virtual std::vector<pid_t> all() const = 0;
  // How often there was none for a process that forked, or executed the program.
  virtual uint64_t without_place() const { return 0; }
  // Since it was asked last; where nobody tells, what can be read of living ones has to do.
  virtual std::vector<TargetEnd> take_ends() { return {}; }
  // How many ends were not told, as more waited to be taken than there is room for.
  virtual uint64_t untold_ends() const { return 0; }
};

}  // namespace compmond::engine
