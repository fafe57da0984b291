// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "core/limits.h"

// Work on untrusted bytes in a child process that can do nothing else: no capabilities, no user of
// its own (nobody, where compmond is root), no way to gain rights, and only the system calls that
// reading open files needs.
namespace compmond::guard {

struct ConfinedLimits {
  static constexpr uint64_t kEndless = ~uint64_t(0);
  uint64_t memory_bytes = limits::kReaderBytes;  // address space
  uint64_t heap_bytes = kEndless;                // of that, what is not a file
  uint64_t cpu_seconds = limits::kReaderSeconds;
  uint64_t deadline_ns = limits::kReaderSeconds * 1'000'000'000;  // by the clock
  size_t result_bytes = limits::kReaderResultBytes;
};

// What the work sees of the world, inside the child.
class Outside {
 public:
  virtual ~Outside() = default;
  // Says what the work is at, for the message in case that it never comes back.
  virtual void at(uint32_t step) = 0;
  // Asks the parent for a file; empty when it refuses.
  virtual Fd open(uint32_t where, const std::string& path) = 0;
};

using Work = std::function<std::string(Outside&)>;
// Answers Outside::open, in the parent, with the parent's rights: what it is asked for is as
// untrusted as what the child reads.
using Opener = std::function<Fd(uint32_t where, const std::string& path)>;

struct Outcome {
  bool whole = false;  // the work was done
  std::string result;  // then: what it returned, as untrusted as what it read
  uint32_t step = 0;   // else: where it was
  std::string why;     // and what became of it, for people: "ended by SIGSEGV (…)"
};

// Runs `work` in a child and waits for it. Of the open files it sees only `files`. Exit::kInternal
// or Exit::kUnavailable when there can be no such child, StopWatch::wish() where the program is to
// end meanwhile; all that goes wrong inside of it, and exceeding a limit, is an Outcome. Best
// called while the process has one thread.
Result<Outcome> run_confined(const std::vector<int>& files, const Work& work, const Opener& opener,
                             const ConfinedLimits& limits = {});

}  // namespace compmond::guard
