// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "figures/executions.h"
#include "snapshot/words.h"
#include "trace/execution.h"

namespace compmond::present {

// A snapshot has one more than the tracer, for what has not ended.
inline Word<snapshot::Ending> ending_of(const figures::Single& single) {
  using snapshot::Ending;
  if (single.open) return Ending::kOpen;
  switch (single.execution.reason) {
    case trace::Closed::kReturned:
      return Ending::kReturned;
    case trace::Closed::kAbandoned:
      return Ending::kAbandoned;
    case trace::Closed::kThreadExit:
      return Ending::kThreadExit;
    case trace::Closed::kExec:
      return Ending::kExec;
    case trace::Closed::kLossy:
      return Ending::kLossy;
    case trace::Closed::kFailed:
      return Ending::kFailed;
    case trace::Closed::kJumped:
      return Ending::kJumped;
  }
  return {};
}

}  // namespace compmond::present
