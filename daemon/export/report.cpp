// SPDX-License-Identifier: Apache-2.0
#include "export/report.h"

#include "export/reports.h"

namespace compmond::exporting {

const std::vector<ReportType>& report_types() {
  using F = Format;
  static const std::vector<F> kLists = {F::kText, F::kJson};
  static const std::vector<F> kDrawn = {F::kText, F::kJson, F::kSvg};
  static const std::vector<F> kAll = {F::kText, F::kJson, F::kDot, F::kPlantUml, F::kSvg};
  static const std::vector<ReportType> kTypes = {
      {"traces", "all traces with their executions", kLists, make_traces},
      {"message-traces", "all traces as calls and returns", kLists, make_message_traces},
      {"equivalence-classes", "traces of the same control flow, and how many there are", kLists,
       make_equivalence_classes},
      {"dependency-graph", "who calls whom, how often, and how long it takes", kAll,
       make_dependency_graph},
      {"matrix", "the same as a table of counts", kDrawn, make_matrix},
      {"call-tree", "every call, below its caller; of all traces, one, or a class", kAll,
       make_call_tree},
      {"aggregated-call-tree", "calls on the same path taken together", kAll,
       make_aggregated_call_tree},
      {"flame-graph", "the aggregated call tree, as wide as its times", kDrawn, make_flame_graph},
      {"sequence",
       "a trace, or a class, as a UML sequence diagram",
       {F::kText, F::kJson, F::kPlantUml, F::kSvg},
       make_sequence},
      {"trace-timing", "the executions of a trace over its time", kDrawn, make_trace_timing},
      {"markov", "how probably one message follows another", kAll, make_markov}};
  return kTypes;
}

const ReportType* report_type(std::string_view name) {
  for (const ReportType& type : report_types())
    if (type.name == name) return &type;
  return nullptr;
}

graphs::Naming naming_of(const ReportOptions& options, graphs::Level usual) {
  return {options.level.value_or(usual), options.with_host};
}

void begin_document(JsonWriter& json, const char* report) {
  json.begin_object().member("schema", "compmond.analysis/1").member("report", report);
}

void end_document(JsonWriter& json, const traces::LogFacts& facts) {
  json.key("log").begin_object();
  json.member("traces", facts.traces).member("executions", facts.executions);
  json.member("broken", facts.broken).member("repaired", facts.repaired);
  json.member("bad_records", facts.bad_records);
  if (facts.not_observed > 0) json.member("not_observed", facts.not_observed);
  json.end();
  json.end();
}

}  // namespace compmond::exporting
