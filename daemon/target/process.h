// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace compmond::target {

// A line of /proc/PID/maps that maps a file.
struct Mapping {
  uint64_t start = 0, end = 0, offset = 0;
  bool executable = false;
  uint64_t device = 0;  // makedev form
  uint64_t inode = 0;
  std::string path;  // as the target sees it, without " (deleted)"
  bool deleted = false;
  bool writable = false;
};

// A running process, pinned by a pidfd and its start time, so that a reused pid is never mistaken
// for it.
class Process {
 public:
  // Exit::kNoInput when there is no such process, Exit::kNoPermission when it may not be looked at;
  // both with what to do next. Kernel threads and zombies are refused with the reason.
  static Result<Process> open(pid_t pid);
  // As open, for a process that is known to run `exe`: does not look at what only its owner and
  // root may see. So nothing is refused for want of rights.
  static Result<Process> watch(pid_t pid, std::string exe);

  pid_t pid() const { return pid_; }
  uint64_t start_ns() const {
    return start_ns_;
  }  // CLOCK_BOOTTIME nanoseconds, tick resolution (/proc/PID/stat)
  const std::string& exe() const { return exe_; }  // as the target sees it
  const std::string& name() const { return name_; }
  bool alive() const;
  // The process that traces it (a debugger, a sandbox); 0: none, or it is not known.
  pid_t tracer() const;
  // Whether its system calls are filtered.
  bool is_filtered() const;
  // How it ended, as wait() tells its parent. None while it lives or its parent has not collected
  // it, and where the kernel does not tell strangers (before Linux 6.15).
  std::optional<int> wait_status() const;

  Result<std::vector<Mapping>> mappings() const;
  // All that may be executed, also what belongs to no file (inode 0).
  Result<std::vector<Mapping>> code_mappings() const;

  // Opens exactly the file that is mapped: through /proc/PID/map_files (deleted files too), else
  // through /proc/PID/root, checked against device and inode.
  Result<Fd> open_mapped(const Mapping& mapping) const;
  Result<Fd> open_exe() const;

  // "/proc/PID/root"; when the main thread has ended, that of a thread that lives on.
  std::string root() const;

  // CPU time used so far by all threads, those that have ended included, in ns; also of one that
  // has ended, until its parent collects it. 0 when the process is gone.
  uint64_t cpu_time_ns() const;

 private:
  Process() = default;
  pid_t pid_ = 0;
  uint64_t start_ns_ = 0;
  std::string exe_, name_;
  Fd pidfd_;
};

// Opens the file at `path` when it is the mapped one, by device and inode: what
// Process::open_mapped() does through the process's root.
Result<Fd> open_same_file(const std::string& path, const Mapping& mapping, const std::string& what);

// One file that a process executes code from.
struct MappedImage {
  std::string path;   // as the target sees it
  bool main = false;  // the main executable
  bool deleted = false;
  uint64_t device = 0, inode = 0;
  Mapping mapping;  // its first executable mapping
};
// All of them, the main executable first, each file once.
Result<std::vector<MappedImage>> executable_images(const Process& process);

// True when `selector` (a path or a file name, either with * and ?) names the image at `path`. A
// library's name without its last version numbers names it too, since maps show the file behind the
// links: libz.so.1 is libz.so.1.2.13.
bool image_matches(const std::string& selector, const std::string& path);

// Pids of all processes whose executable is the file (device, inode).
std::vector<pid_t> processes_of(uint64_t device, uint64_t inode);

// Pids of all processes, except compmond itself, that map the file executable.
std::vector<pid_t> processes_mapping(uint64_t device, uint64_t inode);

// The living descendants of a process (children, their children, …).
std::vector<pid_t> descendants(pid_t pid);

}  // namespace compmond::target
