// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace compmond {

// Keeps the memory that a process holds near what it uses, through a run of days: what one answer
// took does not stay. Blocks of 1 MiB and more go back to the system when they are freed (smaller
// ones are too frequent for that: each would cost a system call and fresh pages), and once a minute
// what else lies free. One is enough for a process; used by one thread.
class FreeMemory {
 public:
  FreeMemory();
  // Takes some milliseconds once a minute, in which other threads may wait for memory.
  void give_back(uint64_t now_ns);

 private:
  uint64_t next_ns_ = 0;
};

}  // namespace compmond
