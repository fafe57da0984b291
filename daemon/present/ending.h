// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "figures/executions.h"
#include "snapshot/words.h"
#include "trace/execution.h"

namespace compmond::present {

// A snapshot has the words of the tracer, and one for what has not ended.
inline Word<snapshot::Ending> ending_of(const figures::Single& single) {
  if (single.open) return snapshot::Ending::kOpen;
  return Word<snapshot::Ending>(to_text(single.execution.reason));
}

}  // namespace compmond::present
