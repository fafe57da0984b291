// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <cstdint>

#include "base/result.h"

namespace compmond::prepare {

// Stops a traced program, us being the tracer, when it comes to its entry point: in a register of
// its CPU, so that nothing is written to it and what it forks until then knows nothing of it. Where
// there is no such register an instruction is written there. Either way the kernel tells by
// SIGTRAP, which also programs raise for their own ends.
class EntryStop {
 public:
  enum class Way { kRegister, kInstruction };
  EntryStop(pid_t pid, Way way) : pid_(pid), way_(way) {}

  // While the program is stopped, just executed: stops at the entry point of what it is now.
  Result<void> arm();
  // At a stop of the program by SIGTRAP: whether this is ours. It is taken away then, and the
  // program is at the first instruction of its own.
  Result<bool> arrived();
  // At a stop for a new child that is traced too, which is let go: what was copied is taken back.
  void spare(pid_t child);

 private:
  Result<bool> came_to_instruction();
  pid_t pid_;
  Way way_;
  uint64_t entry_ = 0;
  long original_ = 0;  // what the instruction was written over
};

// Sets or, with 0, clears where the thread is to be stopped by its CPU; false where it cannot be.
bool stop_by_register(pid_t pid, uint64_t address);
// Whether the SIGTRAP at which the thread is stopped comes from there.
bool stopped_by_register(pid_t pid, uint64_t address);

}  // namespace compmond::prepare
