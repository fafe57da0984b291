// SPDX-License-Identifier: Apache-2.0
#include "drawing/drawn_trace.h"

#include <map>
#include <utility>

namespace compmond::drawing {

DrawnTrace::DrawnTrace(const traces::Trace& trace) {
  const std::vector<uint64_t> real_ns = trace.real_ns();
  const std::vector<double> probes_ns = trace.probes_ns();
  for (size_t i = 0; i < trace.executions.size(); ++i) {
    const traces::TracedExecution& e = trace.executions[i];
    snapshot::OneTrace::Step step;
    step.caller = trace.caller[i];
    // A caller waits for what it calls on its own thread only.
    step.pid = e.host;
    step.tid = trace.part.empty() ? e.thread : trace.part[i];
    step.start_ns = e.start_ns;
    step.end_ns = e.end_ns;
    step.real_ns = real_ns[i];
    step.less_probes_ns = traces::net_real_ns(real_ns[i], probes_ns[i]);
    step.eoi = uint32_t(e.eoi);
    step.ess = uint32_t(e.ess);
    step.failed = e.failed;
    steps.push_back(step);
  }
}

DrawnTrace::DrawnTrace(const traces::Trace& trace, const traces::Catalogue& catalogue,
                       graphs::Naming naming)
    : DrawnTrace(trace) {
  graphs::Nodes nodes(catalogue, naming);
  for (size_t i = 0; i < steps.size(); ++i) steps[i].operation = nodes.of(trace.executions[i]);
  for (uint32_t i = 0; i < nodes.size(); ++i) operations.push_back({"", nodes.name(i)});
}

DrawnTrace DrawnTrace::with_lifelines(const traces::Trace& trace,
                                      const traces::Catalogue& catalogue, graphs::Naming naming) {
  if (naming.level == graphs::Level::kOperation) naming.level = graphs::Level::kComponent;
  DrawnTrace out(trace);
  graphs::Nodes nodes(catalogue, naming);
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> numbers;  // of lifeline and operation
  for (size_t i = 0; i < out.steps.size(); ++i) {
    const traces::TracedExecution& e = trace.executions[i];
    const uint32_t line = nodes.of(e);
    const auto [at, added] =
        numbers.emplace(std::pair(line, e.operation), uint32_t(out.operations.size()));
    if (added)
      out.operations.push_back({nodes.name(line), catalogue.operations()[e.operation].name});
    out.steps[i].operation = at->second;
  }
  return out;
}

}  // namespace compmond::drawing
