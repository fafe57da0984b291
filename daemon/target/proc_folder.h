// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "target/proc_text.h"

namespace compmond::target {

// "/proc/PID"; of a process whose main thread has ended, the folder of a thread that lives on: the
// main thread's one has no files, maps or root any more.
std::string live_folder(pid_t pid);

// A thread of the process that lives: the main one, which has its number, unless that has ended.
pid_t live_thread(pid_t pid);

// Nothing when there is no such process or thread.
std::optional<Stat> read_stat(const std::string& folder);

// As parse_seccomp(), of a thread; 0 where there is none.
int seccomp_mode(pid_t tid);

// As parse_tracer(), likewise.
pid_t tracer_of(pid_t tid);

Result<std::string> read_maps(const std::string& folder);

// Calls `visit` with every number that a file in `folder` ("/proc", "/proc/PID/task") has as its
// name, until it returns false.
void for_each_id(const std::string& folder, const std::function<bool(pid_t)>& visit);

// True when two device numbers may stand for one file system. Where files live on btrfs, overlayfs
// and their like, maps and stat name different devices for the same file; those have the major
// number 0.
bool same_device(uint64_t a, uint64_t b);

}  // namespace compmond::target
