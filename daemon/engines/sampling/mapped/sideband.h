// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/result.h"
#include "mapped_code/sideband_record.h"

namespace compmond::sampler {

// What becomes of the code in the memory of all processes, from a perf event on each CPU that
// samples nothing. One thread.
class Sideband {
 public:
  // Errors as of open_on_cpus(). Tells what happens from now on.
  static Result<Sideband> open();
  Sideband(Sideband&&) noexcept;
  ~Sideband();

  // One per CPU, readable when much is told: fetch() before it is too much. Borrowed.
  std::vector<int> descriptors() const;
  // Takes all that is told by now. What it says comes with parse(): meanwhile there is time to find
  // out whose is wanted.
  void fetch();
  // Appends what was fetched, in no order.
  void parse(const std::function<bool(uint32_t pid)>& wanted, std::vector<SidebandEvent>& out);
  uint64_t malformed() const { return malformed_; }

 private:
  struct Cpu;
  Sideband();
  std::vector<Cpu> cpus_;
  std::vector<std::byte> fetched_;  // whole records
  uint64_t malformed_ = 0;
};

}  // namespace compmond::sampler
