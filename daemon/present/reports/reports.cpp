// SPDX-License-Identifier: Apache-2.0
#include "reports/reports.h"

#include "reports/kinds.h"

namespace compmond::present {
namespace {

using snapshot::AnalysisRequest;
using snapshot::AnalysisView;
using snapshot::Report;

graphs::Naming naming_of(const Chosen& chosen, const AnalysisView& view) {
  switch (view.level.known().value_or(snapshot::Level::kComponent)) {
    case snapshot::Level::kOperation:
      return {graphs::Level::kOperation};
    case snapshot::Level::kProgram:
      return {graphs::Level::kProgram};
    case snapshot::Level::kHost:
      return {chosen.programs_are_hosts ? graphs::Level::kProgram : graphs::Level::kHost};
    case snapshot::Level::kComponent:
      break;
  }
  return {graphs::Level::kComponent};
}

// Notes in `out` also the operations that it mentions, and how much is left out.
snapshot::ReportContent content_of(Report report, const Chosen& chosen,
                                   const AnalysisRequest& request, AnalysisView& out) {
  Mentioned mentioned(chosen.catalogue, out.operations);
  switch (report) {
    case Report::kTraces:
      return traces(chosen, request, mentioned, out.left_out);
    case Report::kClasses:
      return classes(chosen, request, mentioned, out.left_out);
    case Report::kTrace:
      return steps(chosen, request, mentioned, out.left_out);
    case Report::kCallTree:
      return call_tree(chosen, request, mentioned, out.left_out);
    case Report::kDependencyGraph:
      return dependency_graph(chosen, naming_of(chosen, out), request.limit, out.left_out);
    case Report::kMarkov:
      return markov(chosen, naming_of(chosen, out), request.limit, out.left_out);
    case Report::kInside:  // of samples, not of traces
      break;
  }
  return {};
}

}  // namespace

void fill_report(const Chosen& chosen, const AnalysisRequest& request, AnalysisView& out) {
  out.traces = chosen.traces.size();
  for (const traces::Trace* trace : chosen.traces) out.executions += trace->executions.size();
  if (!request.report.known()) return;  // refused by check_analysis
  out.content = content_of(*request.report.known(), chosen, request, out);
}

}  // namespace compmond::present
