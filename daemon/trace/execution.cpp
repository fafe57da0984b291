// SPDX-License-Identifier: Apache-2.0
#include "trace/execution.h"

namespace compmond::trace {

const char* to_string(Closed reason) {
  switch (reason) {
    case Closed::kReturned:
      return "returned";
    case Closed::kAbandoned:
      return "abandoned";
    case Closed::kThreadExit:
      return "thread_exit";
    case Closed::kExec:
      return "exec";
    case Closed::kLossy:
      return "lossy";
  }
  return "unknown";
}

}  // namespace compmond::trace
