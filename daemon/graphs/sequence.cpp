// SPDX-License-Identifier: Apache-2.0
#include "graphs/sequence.h"

#include <algorithm>

namespace compmond::graphs {

Sequence sequence(const EquivalenceClass& of, const traces::Catalogue& catalogue, Naming naming) {
  if (naming.level == Level::kOperation) naming.level = Level::kComponent;
  const traces::Trace& trace = of.representative;
  Nodes nodes(catalogue, naming);
  std::vector<int32_t> lifeline;
  for (const traces::TracedExecution& execution : trace.executions)
    lifeline.push_back(int32_t(nodes.of(execution)));
  const auto line = [&](int32_t at) { return at < 0 ? -1 : lifeline[size_t(at)]; };

  Sequence out;
  out.trace_id = trace.id;
  out.cardinality = of.cardinality;
  out.start_ns = trace.start_ns();
  for_each_message(trace, [&](const Message& message) {
    const auto called = size_t(message.called());
    const traces::TracedExecution& execution = trace.executions[called];
    out.steps.push_back({message.kind, line(message.from), line(message.to),
                         catalogue.operations()[execution.operation].name, message.at_ns,
                         of.raw[called], execution.ess, execution.failed});
  });
  for (uint32_t i = 0; i < nodes.size(); ++i) out.lifelines.push_back(nodes.name(i));
  return out;
}

Sequence sequence(const traces::Trace& trace, const traces::Catalogue& catalogue, Naming naming) {
  EquivalenceClass alone{1, trace, std::vector<RawTimes>(trace.executions.size()), {}};
  for (size_t i = 0; i < trace.executions.size(); ++i)
    alone.raw[i].add(trace.executions[i].raw_ns());
  return sequence(alone, catalogue, naming);
}

TraceTiming trace_timing(const traces::Trace& trace, const traces::Catalogue& catalogue,
                         Naming naming) {
  Nodes nodes(catalogue, naming);
  TraceTiming out;
  out.trace_id = trace.id;
  out.start_ns = trace.start_ns();
  out.end_ns = trace.end_ns();
  for (const traces::TracedExecution& e : trace.executions) {
    const uint32_t row = nodes.of(e);
    if (row == out.rows.size()) out.rows.push_back({nodes.name(row), {}});
    out.rows[row].bars.push_back({e.start_ns, e.end_ns, e.eoi, e.ess, e.failed});
  }
  for (TraceTiming::Row& row : out.rows)
    std::stable_sort(row.bars.begin(), row.bars.end(),
                     [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
  std::stable_sort(out.rows.begin(), out.rows.end(), [](const auto& a, const auto& b) {
    return a.bars.front().start_ns < b.bars.front().start_ns;
  });
  return out;
}

}  // namespace compmond::graphs
