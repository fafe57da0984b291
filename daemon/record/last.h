// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "record/event.h"

namespace compmond::record {

// Whether no event of its thread follows, so that all that is kept of the thread can go: it ended,
// or executed another program. What it goes on as is another thread, whose first event is an exec
// with arg = 1.
constexpr bool is_last(const Event& event) {
  return event.kind == EventKind::kThreadExit || (event.kind == EventKind::kExec && event.arg == 0);
}

}  // namespace compmond::record
