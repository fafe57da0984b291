// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "target/proc_text.h"

namespace compmond::sampler {

// The folder /tmp as a process sees it. Empty where that is not for us to see.
Fd open_tmp_of(pid_t pid);

// The perf map of a process in `tmp`: /tmp/perf-PID.map with its pid as it sees that itself. An
// empty file where there is none. Exit::kData where there is one that is not its own: only a
// regular file of its owner with this one name, written to since it began (CLOCK_REALTIME,
// seconds), is.
Result<Fd> open_perf_map(int tmp, const target::Identity& process, int64_t began_s);

// Finds the perf maps of observed processes that make code at run time. Any thread.
class PerfMaps {
 public:
  // Opens the perf map of a process, whose /tmp is `tmp` where that is valid; see open_perf_map.
  using Open = std::function<Result<Fd>(pid_t pid, const Fd& tmp)>;
  explicit PerfMaps(Open open = open_perf_map_of);

  // Where its /tmp is, while we have the rights to see that.
  void remember(pid_t pid);
  void makes_code(uint32_t pid);
  void fork(uint32_t parent, uint32_t child);
  void executed(uint32_t pid);  // another program
  void forget(uint32_t pid);

  // Its perf map, if it makes code, once there is one, and again when it is another file. Looks
  // once a second at most.
  Fd look(uint32_t pid, uint64_t now_ns);
  std::vector<std::string> notes() const;  // which are not used, and why

  static Result<Fd> open_perf_map_of(pid_t pid, const Fd& tmp);

 private:
  using Identity = std::pair<uint64_t, uint64_t>;  // device, inode
  struct Process {
    std::shared_ptr<const Fd> tmp;  // null: not known
    bool makes_code = false, refused = false;
    uint64_t next_ns = 0;  // not looked before
    Identity file;         // that was handed out
  };
  void refuse(Process& process, std::string why);

  Open open_;
  mutable std::mutex mutex_;  // of all below
  std::map<uint32_t, Process> processes_;
  std::map<Identity, std::weak_ptr<const Fd>> folders_;
  std::vector<std::string> notes_;
  size_t open_files_ = 0, more_notes_ = 0;
};

}  // namespace compmond::sampler
