// SPDX-License-Identifier: Apache-2.0
#include "ui/model/trace_links.h"

#include <algorithm>

namespace compmond::ui {
namespace {

// A row, step or violation with the names behind it, as an execution that was clicked.
template <class From>
PickedExecution pick(const From& from, uint64_t end_ns, uint64_t trace_id, std::string component,
                     std::string operation) {
  PickedExecution out;
  out.execution.pid = from.pid;
  out.execution.tid = from.tid;
  out.execution.start_ns = from.start_ns;
  out.execution.end_ns = end_ns;
  out.execution.trace_id = trace_id;
  out.execution.closed = snapshot::Ending::kReturned;
  out.component = std::move(component);
  out.operation = std::move(operation);
  return out;
}

}  // namespace

void show_traces_of(Model& model, const std::string& component, const std::string& operation) {
  model.traces = {};
  model.traces.component = component;
  model.traces.operation = operation;
  model.wishes.view = ViewId::kTraces;
}

void show_trace(Model& model, uint64_t trace, ViewId view) {
  model.chosen = {trace, std::nullopt};
  model.wishes.view = view;
}

void show_class(Model& model, uint32_t class_number, ViewId view) {
  model.chosen = {std::nullopt, class_number};
  model.wishes.view = view;
}

void show_on_timeline(Model& model, PickedExecution execution) {
  constexpr uint64_t kLeast = 10'000;  // ns: nearer there is nothing around it to see
  const auto& e = execution.execution;
  const uint64_t around = std::max(kLeast, (e.end_ns - std::min(e.start_ns, e.end_ns)) / 5);
  set_window(model, e.start_ns - std::min(e.start_ns, around), e.end_ns + around);
  model.selection = {execution.component, execution.operation, std::move(execution)};
  model.wishes.view = ViewId::kTiming;
}

void show_on_timeline(Model& model, const snapshot::TraceRow& trace,
                      const snapshot::AnalysisView::Operation& first) {
  show_on_timeline(model, pick(trace, trace.end_ns, trace.id, first.component, first.name));
}

void show_violation(Model& model, const snapshot::Violation& violation) {
  const uint64_t end_ns = violation.start_ns + violation.raw_ns;
  const uint64_t least = violation.raw_ns + violation.raw_ns / 2;
  const uint64_t length = std::max({model.interval().length(), least, uint64_t(1'000)});
  const uint64_t middle = violation.start_ns + violation.raw_ns / 2;
  const uint64_t start_ns = middle - std::min(middle, length / 2);
  set_window(model, std::max(start_ns, model.run.start_ns), std::max(start_ns + length, end_ns));
  PickedExecution picked =
      pick(violation, end_ns, violation.trace_id, violation.component, violation.operation);
  picked.execution.eoi = violation.eoi;
  picked.execution.closed = violation.closed;
  model.selection = {violation.component, violation.operation, std::move(picked)};
}

PickedExecution picked_step(const AnsweredTrace& trace, size_t step) {
  const auto& s = trace.steps[step];
  const auto& operation = trace.operation(s);
  PickedExecution out = pick(s, s.end_ns, trace.row.id, operation.component, operation.name);
  out.execution.real_ns = s.real_ns;
  out.execution.eoi = s.eoi;
  out.execution.ess = s.ess;
  if (s.failed) out.execution.closed = snapshot::Ending::kAbandoned;
  if (s.caller >= 0) {
    const auto& caller = trace.operation(trace.steps[size_t(s.caller)]);
    out.caller = caller.component + " " + caller.name;
  }
  return out;
}

}  // namespace compmond::ui
