// SPDX-License-Identifier: Apache-2.0
#include "present/slo.h"

#include <algorithm>

#include "core/limits.h"
#include "figures/slo.h"
#include "text/numbers.h"
#include "trace/execution.h"

namespace compmond::present {
namespace {

using plan::PlannedOperation;

bool judged(const plan::Plan& plan, const plan::OperationStates& states, size_t operation) {
  return plan.operations[operation].slo_ms > 0 && !states[operation].refused() &&
         plan::way_of(plan, states, operation).timed();
}
bool judged(const RunParts& run, size_t operation) {
  return judged(run.plan, run.states, operation);
}

snapshot::Slo slo_of(const figures::Figures& figures) {
  snapshot::Slo out;
  out.violations = figures.violations;
  out.unseen_ends = figures.unseen_violations;
  out.violating_now = figures.violating_now;
  return out;
}

snapshot::Violation violation_of(const RunParts& run, const figures::Single& single) {
  const trace::Execution& e = single.execution;
  const PlannedOperation& op = run.plan.operations[e.op];
  const record::ThreadInfo& thread = thread_info(run.checkpoint, e.thread);
  snapshot::Violation out;
  out.component = run.spec.components[size_t(op.component)].path;
  out.operation = op.name;
  out.pid = thread.pid;
  out.tid = thread.tid;
  out.start_ns = e.start_ns;
  out.raw_ns = e.end_ns - e.start_ns;
  out.objective_ns = objective_ns(run, e.op);
  out.trace_id = e.trace_id;
  out.eoi = e.eoi;
  out.closed = ending_of(single);
  return out;
}

}  // namespace

std::optional<snapshot::Slo> operation_slo(const RunParts& run, size_t operation,
                                           const figures::Figures& figures) {
  if (!judged(run, operation)) return std::nullopt;
  snapshot::Slo out = slo_of(figures);
  out.objective_ns = objective_ns(run, operation);
  return out;
}

std::optional<snapshot::Slo> component_slo(const RunParts& run, int component,
                                           const figures::Figures& figures) {
  std::optional<snapshot::Slo> out;
  for (size_t i = 0; i < run.plan.operations.size(); ++i) {
    if (run.plan.operations[i].component != component || !judged(run, i)) continue;
    if (!out) {
      out = slo_of(figures);
      out->objective_ns = objective_ns(run, i);
    } else if (out->objective_ns != objective_ns(run, i)) {
      out->objective_ns.reset();
    }
  }
  return out;
}

std::optional<snapshot::Objectives> objectives_view(const RunParts& run,
                                                    const figures::Model& model,
                                                    const figures::Result& result,
                                                    const figures::Filter& filter) {
  const auto& operations = run.plan.operations;
  if (std::ranges::none_of(operations, [](const auto& op) { return op.slo_ms > 0; }))
    return std::nullopt;
  snapshot::Objectives out;
  for (const figures::Figures& figures : result.operations) {
    out.violations += figures.violations;
    out.violating_now += figures.violating_now;
  }
  out.since_start = run.checkpoint.violations.total();
  for (const figures::Single& single : figures::newest_violations(
           run.checkpoint, model, result.window, limits::kViolationsShown, filter))
    out.newest.push_back(violation_of(run, single));
  const uint64_t all = out.violations + out.violating_now;
  out.left_out = all - std::min<uint64_t>(all, out.newest.size());
  for (size_t i = 0; i < operations.size(); ++i)
    if (operations[i].slo_ms > 0 && !judged(run, i)) out.unjudged.push_back(operations[i].name);
  return out;
}

std::string violation_text(const RunParts& run, const figures::Single& single) {
  const snapshot::Violation v = violation_of(run, single);
  const std::string raw = text::duration(v.raw_ns);
  const bool unseen = !single.open && history::Objectives::end_unseen(single.execution.reason);
  const std::string took = single.open ? fmt::format("has run for {}", raw)
                           : unseen    ? fmt::format("took at most {} ({})", raw, v.closed.text())
                                       : fmt::format("took {}", raw);
  return fmt::format("{} {} {}, more than {}; begun at {}, process {}, thread {}, trace {}",
                     v.component, v.operation, took, text::duration(v.objective_ns),
                     text::moment(double(v.start_ns) - double(run.checkpoint.start_ns), 1e3), v.pid,
                     v.tid, v.trace_id);
}

Result<void> check_objectives(const plan::Plan& plan, const plan::OperationStates& states) {
  for (size_t i = 0; i < plan.operations.size(); ++i)
    if (judged(plan, states, i)) return {};
  return fail(Exit::kData, "--exit-on-slo would never end the run",
              "no operation that is observed with its times has an objective",
              "Give components or operations of the spec one: \"slo_ms\": 50.");
}

Word<snapshot::Ending> ending_of(const figures::Single& single) {
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
