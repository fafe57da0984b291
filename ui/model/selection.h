// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "protocol/view.h"

// What somebody has chosen to look at.
namespace compmond::ui {

// An execution that was clicked, with the names behind its numbers.
struct PickedExecution {
  snapshot::ExecutionsView::Execution execution;
  std::string component, operation, caller;  // caller: "Component operation", empty: outside
};

struct Selection {
  std::string component;  // path; empty: none
  std::string operation;  // of that component; empty: none
  std::optional<PickedExecution> execution;
};

// What Sequence, Trace timing and Call tree are about: a trace, or a class as the newest answered
// analysis numbers them; nothing: Sequence and Trace timing follow the newest trace, with a call of
// the selected component, Call tree is of all traces.
struct TraceChoice {
  std::optional<uint64_t> trace;
  std::optional<uint32_t> class_number;
  bool operator==(const TraceChoice&) const = default;
};

// Which traces are listed; without a choice Sequence and Trace timing follow the newest of them.
struct TraceFilter {
  std::string search;                    // an operation or component with an execution in it
  std::string component, operation;      // likewise, exactly; empty: any
  std::optional<uint32_t> class_number;  // of this class only
  uint64_t min_duration_ns = 0;
  bool operator==(const TraceFilter&) const = default;
};

}  // namespace compmond::ui
