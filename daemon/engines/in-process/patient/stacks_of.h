// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>

#include "patient/address_space.h"
#include "surgery/detour.h"
#include "surgery/process_memory.h"
#include "surgery/stopped_threads.h"

namespace compmond::inprocess {

// Where stacks of a process end (EndOfStack). Looked up when it is asked for one that was not there
// before. Copies are one.
class Stacks {
 public:
  explicit Stacks(pid_t pid) : pid_(pid), space_(std::make_shared<AddressSpace>("")) {}
  uint64_t operator()(uint64_t sp) const;

 private:
  pid_t pid_;
  std::shared_ptr<AddressSpace> space_;
};

// A child of it, or of who began it, that has its memory and is not stopped with it; 0: none. Far
// cheaper than to look at all processes.
pid_t relative_in_memory_of(pid_t pid);
// A process of the same memory that is none of its threads (clone with CLONE_VM, vfork); 0: none.
pid_t shares_memory_with(pid_t pid);
bool share_memory(pid_t one, pid_t other);

// One of these threads that can make a detour, best one that is in a system call; null: none can.
// Its stack has room, and it is in no restartable sequence (rseq), which that would break off.
StoppedThreads::Thread* fit_for_detour(StoppedThreads& threads, const AddressSpace& space,
                                       const ProcessMemory& memory);

}  // namespace compmond::inprocess
