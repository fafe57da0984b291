// SPDX-License-Identifier: Apache-2.0
#include "ui/model/trace_links.h"

#include <algorithm>

namespace compmond::ui {

void show_traces_of(Model& model, const std::string& component, const std::string& operation) {
  model.traces = {};
  model.traces.component = component;
  model.traces.operation = operation;
  model.wishes.view = "Traces";
}

void show_trace(Model& model, uint64_t trace, const char* view) {
  model.chosen = {trace, std::nullopt};
  model.wishes.view = view;
}

void show_class(Model& model, uint32_t class_number, const char* view) {
  model.chosen = {std::nullopt, class_number};
  model.wishes.view = view;
}

void show_on_timeline(Model& model, PickedExecution execution) {
  constexpr uint64_t kLeast = 10'000;  // ns: nearer there is nothing around it to see
  const auto& e = execution.execution;
  const uint64_t around = std::max(kLeast, (e.end_ns - std::min(e.start_ns, e.end_ns)) / 5);
  set_window(model, e.start_ns - std::min(e.start_ns, around), e.end_ns + around);
  model.selection = {execution.component, execution.operation, std::move(execution)};
  model.wishes.view = "Timing";
}

void show_row_on_timeline(Model& model, const snapshot::AnalysisView& traces, size_t row) {
  const auto& trace = traces.rows[row];
  PickedExecution first;
  first.execution.pid = trace.pid;
  first.execution.tid = trace.tid;
  first.execution.start_ns = trace.start_ns;
  first.execution.end_ns = trace.end_ns;
  first.execution.trace_id = trace.id;
  first.execution.closed = snapshot::Ending::kReturned;
  first.component = traces.operations[trace.operation].component;
  first.operation = traces.operations[trace.operation].name;
  show_on_timeline(model, std::move(first));
}

PickedExecution picked_step(const snapshot::AnalysisView& trace, size_t step) {
  const auto& s = trace.steps[step];
  PickedExecution out;
  out.execution.pid = s.pid;
  out.execution.tid = s.tid;
  out.execution.start_ns = s.start_ns;
  out.execution.end_ns = s.end_ns;
  out.execution.real_ns = s.real_ns;
  out.execution.trace_id = trace.trace ? trace.trace->id : 0;
  out.execution.eoi = s.eoi;
  out.execution.ess = s.ess;
  out.execution.closed = s.failed ? snapshot::Ending::kAbandoned : snapshot::Ending::kReturned;
  out.component = trace.operations[s.operation].component;
  out.operation = trace.operations[s.operation].name;
  if (s.caller >= 0) {
    const auto& caller = trace.operations[trace.steps[size_t(s.caller)].operation];
    out.caller = caller.component + " " + caller.name;
  }
  return out;
}

}  // namespace compmond::ui
