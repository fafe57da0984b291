// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

// How much memory the control groups around a process leave it.
namespace compmond::target {

struct MemoryGroup {
  std::string folder;  // below where control groups are mounted
  std::string name;    // as /proc/PID/cgroup has it
  uint64_t room = 0;   // bytes until its narrowest limit, file pages that nobody needs counted as
                       // free
};

struct MemoryGroups {
  std::vector<MemoryGroup> limited;  // the process's own and those around it, where limited
  bool known = true;  // false: it is in groups that are not to be seen here, which may have limits
};

// `groups` as /proc/PID/cgroup has it, `mounts` as /proc/self/mountinfo; both versions of control
// groups. `root` is put before the folders of mounts.
MemoryGroups memory_groups(const std::string& groups, const std::string& mounts,
                           const std::string& root = {});

}  // namespace compmond::target
