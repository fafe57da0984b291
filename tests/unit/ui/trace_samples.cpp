// SPDX-License-Identifier: Apache-2.0
#include "trace_samples.h"

namespace compmond::ui {

using snapshot::AnalysisView;

AnalysisView about(snapshot::Report report) {
  AnalysisView out;
  out.report = report;
  out.content = snapshot::empty_content(report);
  out.level = snapshot::Level::kComponent;
  out.operations = {{"HTTPServer", "fh::HTTPServer::accept(int)"},
                    {"FileReader", "fh::FileReader::next()"}};
  out.traces = 2;
  out.executions = 12;
  return out;
}

snapshot::TraceRow row(uint64_t id, double from_s, double ms) {
  snapshot::TraceRow out;
  out.id = id;
  out.pid = 4711, out.tid = 4713;
  out.start_ns = kRunStart + uint64_t(from_s * 1e9);
  out.end_ns = out.start_ns + uint64_t(ms * 1e6);
  out.executions = 6;
  out.max_depth = 1;
  out.class_number = 3;
  return out;
}

AnalysisView trace_list() {
  AnalysisView out = about(snapshot::Report::kTraces);
  auto& rows = out.as<snapshot::Traces>()->rows;
  rows = {row(88, 20, 4.6), row(87, 19, 2.3)};
  rows[1].failed = true;
  return out;
}

AnalysisView one_trace() {
  AnalysisView out = about(snapshot::Report::kTrace);
  auto& [trace, steps] = *out.as<snapshot::OneTrace>();
  trace = row(88, 20, 4.6);
  steps.push_back({0, -1, 4711, 4713, trace->start_ns, trace->end_ns, 2'100'000});
  for (uint32_t i = 0; i < 5; ++i) {
    const uint64_t at = trace->start_ns + (i + 1) * 700'000;
    steps.push_back({1, 0, 4711, 4713, at, at + 500'000, 500'000, i + 1, 1, false});
  }
  return out;
}

}  // namespace compmond::ui
