// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "sampler/sideband_record.h"

namespace compmond::sampler {

// What becomes of the code in the memory of all processes, from a perf event on each CPU that
// samples nothing. One thread.
class Sideband {
 public:
  // Errors as of open_on_cpus(). Tells what happens from now on.
  static Result<Sideband> open();
  Sideband(Sideband&&) noexcept;
  ~Sideband();

  // Appends all that is told by now, ordered by time.
  void read(std::vector<SidebandEvent>& out);
  uint64_t malformed() const { return malformed_; }

 private:
  struct Cpu;
  Sideband();
  std::vector<Cpu> cpus_;
  std::vector<std::byte> buffer_;
  uint64_t malformed_ = 0;
};

}  // namespace compmond::sampler
