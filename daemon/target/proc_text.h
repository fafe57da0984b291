// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "target/process.h"

// What the files below /proc/PID say; pure functions of their text.
namespace compmond::target {

// Of /proc/PID/stat.
struct Stat {
  std::string name;  // may contain spaces and parentheses
  char state = '?';  // 'Z': zombie
  pid_t parent = 0;
  uint64_t flags = 0;
  uint64_t start_ticks = 0;  // since boot

  bool is_kernel_thread() const;
  bool began_by_fork() const;  // and executed nothing since: memory is its parent's until written
};
std::optional<Stat> parse_stat(std::string_view text);

// Of /proc/PID/status: who a process is to others, and to itself.
struct Identity {
  uid_t user = 0;      // effective
  pid_t own_pid = 0;   // in its own pid namespace
  int namespaces = 1;  // of pids that it is in, from ours on
};
std::optional<Identity> parse_identity(std::string_view status);
// Likewise: who traces it; 0: nobody does, or it does not say.
pid_t parse_tracer(std::string_view status);
// Likewise: how it restricts its system calls (seccomp). 0: not at all; 1: strictly; 2: by filters.
int parse_seccomp(std::string_view status);
// Likewise: whether it has a handler for the signal.
bool handles_signal(std::string_view status, int signal);

// One line of /proc/PID/maps; nothing when it maps no file or is malformed.
std::optional<Mapping> parse_mapping(std::string_view line);
// Of such a line: whether what it maps is shared.
bool maps_shared(std::string_view line);
std::vector<Mapping> parse_maps(std::string_view text);
// The executable ones, also those of no file: inode 0, and a path like "[vdso]" or none.
std::vector<Mapping> parse_code_maps(std::string_view text);

// Takes " (deleted)" from the end of a path of /proc; true when it was there.
bool strip_deleted(std::string& path);

}  // namespace compmond::target
