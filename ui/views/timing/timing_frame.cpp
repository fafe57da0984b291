// SPDX-License-Identifier: Apache-2.0
#include "ui/views/timing/timing_frame.h"

#include <fmt/format.h>

#include "text/clean.h"
#include "ui/views/shared/operation_name.h"

namespace compmond::ui {

std::string execution_name(const snapshot::ExecutionsView& view, uint32_t operation) {
  const auto& op = view.operations[operation];
  return full_name(op.component, op.name);
}

ImU32 ink_of_end(const Theme& theme, const Word<snapshot::Ending>& closed) {
  using snapshot::Ending;
  if (closed == Ending::kReturned || closed == Ending::kOpen) return 0;
  if (closed == Ending::kFailed) return theme.red;
  const bool known =
      closed == Ending::kJumped || closed == Ending::kThreadExit || closed == Ending::kExec;
  return known ? theme.dim : theme.amber;
}

std::string closed_text(const Word<snapshot::Ending>& closed) {
  if (closed == snapshot::Ending::kOpen) return "still running";
  if (closed == snapshot::Ending::kFailed) return "left by an exception";
  if (closed == snapshot::Ending::kJumped) return "left by a jump (longjmp, another context)";
  if (closed == snapshot::Ending::kAbandoned) return "left without a return, how was not seen";
  if (closed == snapshot::Ending::kThreadExit) return "ended with its thread";
  if (closed == snapshot::Ending::kExec) return "ended by exec";
  if (closed == snapshot::Ending::kLossy)
    return "its end was not seen: lost, or the probes were away";
  return {};
}

bool same_execution(const snapshot::ExecutionsView::Execution& one,
                    const snapshot::ExecutionsView::Execution& other) {
  return one.tid == other.tid && one.pid == other.pid && one.start_ns == other.start_ns &&
         one.trace_id == other.trace_id && one.eoi == other.eoi;
}

PickedExecution picked(const snapshot::ExecutionsView& view, uint32_t execution) {
  const auto& e = view.executions[execution];
  const auto& op = view.operations[e.operation];
  PickedExecution pick{e, op.component, op.name, {}};
  if (e.caller >= 0 && size_t(e.caller) < view.operations.size())
    pick.caller = execution_name(view, uint32_t(e.caller));
  return pick;
}

}  // namespace compmond::ui
