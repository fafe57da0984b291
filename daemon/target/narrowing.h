// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"

namespace compmond::target {

// Which of the processes of a program are meant.
struct Narrowing {
  std::optional<uid_t> user;   // as which they run
  uint32_t pid_namespace = 0;  // its inode number; 0: any
  uint64_t cgroup = 0;         // its id: those in it or below; 0: any
  std::string cgroup_path;     // from the hierarchy's root: "/system.slice/nginx.service"

  // False also where the process is gone.
  bool admits(pid_t pid) const;
};

// As said on the command line, each may be missing: a user's name or number, a folder of the
// unified hierarchy (one without a leading slash is below where that is mounted), a process whose
// pid namespace is meant. Exit::kNoInput with what to do next.
Result<Narrowing> narrowing_of(const std::string& user, const std::string& cgroup,
                               std::optional<pid_t> of_namespace);

// The user as which the process runs; none where it is gone.
std::optional<uid_t> user_of(pid_t pid);
// "postgres", or the number.
std::string name_of_user(uid_t user);

}  // namespace compmond::target
