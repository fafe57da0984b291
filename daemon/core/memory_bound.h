// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace compmond {

// How much memory this process may take for what it reads from a log: whatever the log holds, the
// machine and its control group stay usable. Value type.
class MemoryBound {
 public:
  explicit MemoryBound(size_t bytes) : bytes_(bytes) {}
  // Half of what the machine and the control groups of this process allow, and no more than
  // limits::kLogMemoryBytes; `asked` beside that, where a user wants more.
  static MemoryBound of_machine(size_t asked = 0);

  size_t bytes() const { return bytes_; }
  // Whether the process has so much by now, files that it maps left out. Takes microseconds.
  bool reached() const;

 private:
  size_t bytes_;
};

}  // namespace compmond
