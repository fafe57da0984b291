// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

// How much memory the machine and the control groups around a process allow, and leave it.
namespace compmond {

struct MemoryGroup {
  std::string folder;  // below where control groups are mounted; of the machine empty
  std::string name;    // as /proc/PID/cgroup has it; of the machine empty
  uint64_t limit = 0;  // bytes, the narrowest of its limits
  uint64_t room = 0;   // bytes until that, file pages that nobody needs counted as free

  std::string text() const;  // which it is, for people
};

struct MemoryGroups {
  std::vector<MemoryGroup> limited;  // the process's own and those around it, where limited
  bool known = true;  // false: it is in groups that are not to be seen here, which may have limits

  // The narrowest; UINT64_MAX where none limits.
  uint64_t least_limit() const;
};

// `groups` as /proc/PID/cgroup has it, `mounts` as /proc/self/mountinfo; both versions of control
// groups. `root` is put before the folders of mounts.
MemoryGroups memory_groups(const std::string& groups, const std::string& mounts,
                           const std::string& root = {});

// Those of many processes, each group looked at once: as it is when the first of its processes is
// asked for. One thread.
class MemoryGroupsNow {
 public:
  MemoryGroupsNow();
  // Of a process, a number or "self"; null where it is gone. Valid as long as this.
  const MemoryGroups* of(const std::string& process);

  const std::optional<MemoryGroup>& machine() const { return machine_; }

 private:
  const std::string mounts_;
  const std::optional<MemoryGroup> machine_;
  std::map<std::string, MemoryGroups> known_;  // by the text of /proc/PID/cgroup
};

// The machine itself, swap space left out; none where the kernel does not say.
std::optional<MemoryGroup> memory_of_machine(const std::string& root = {});

}  // namespace compmond
