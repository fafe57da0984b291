// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace compmond::inprocess {

// Memory of another process, also where it is read-only there: what is written to a file's page
// becomes the process' own copy. Needs the right to trace it, and since Linux 6.10, where
// proc_mem.force_override=ptrace, that this thread does. One thread.
class ProcessMemory {
 public:
  // Exit::kNoInput: it is gone. Exit::kNoPermission.
  static Result<ProcessMemory> open(pid_t pid);
  // False: not all of it is there, or is ours to change; part of it may have been.
  // Until what cannot be read; how much that was.
  size_t read_some(uint64_t at, std::span<uint8_t> bytes) const;
  bool read(uint64_t at, std::span<uint8_t> bytes) const;
  // Many at a time, in a tenth of the time. Whether each could be read.
  struct Piece {
    uint64_t at = 0;
    std::span<uint8_t> bytes;
  };
  std::vector<bool> read(std::span<const Piece> pieces) const;
  bool write(uint64_t at, std::span<const uint8_t> bytes) const;

 private:
  ProcessMemory(pid_t pid, Fd file) : pid_(pid), file_(std::move(file)) {}
  pid_t pid_;
  Fd file_;
};

}  // namespace compmond::inprocess
