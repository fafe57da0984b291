// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "record/event.h"

namespace compmond::pipeline {

// Who is to be told that probes go or come during the run: entries and exits do not do so at the
// same moment, so that of a call half may be seen. One change at a time, of one thread.
class Changes {
 public:
  virtual ~Changes() = default;
  // Before: from `now_ns` on until end_change() nothing of these operations counts, and what is
  // open of them ends then, as lossy; of others nothing is missed. Waits for nothing.
  virtual void begin_change(uint64_t now_ns, std::vector<record::OperationId> operations) = 0;
  // All that go are gone, on threads that did nothing since as well. This and the next wait until
  // all that was recorded has been taken in.
  virtual void close_open() = 0;
  // All that come are there.
  virtual void end_change() = 0;
};

}  // namespace compmond::pipeline
