// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_map>

#include "reports/kinds.h"

namespace compmond::present {
namespace {

using compmond::traces::Trace;
using compmond::traces::TracedExecution;
using snapshot::AnalysisRequest;
using snapshot::TraceRow;

uint32_t threads_of(const Trace& trace) {
  if (trace.part.empty()) return 1;  // not joined
  std::set<uint32_t> threads;
  for (const TracedExecution& e : trace.executions) threads.insert(e.thread);
  return uint32_t(threads.size());
}

TraceRow row_of(const Chosen& chosen, const Trace& trace, uint32_t class_number,
                Mentioned& mentioned) {
  const record::ThreadInfo& thread =
      thread_info(chosen.checkpoint, trace.executions.front().thread);
  TraceRow row;
  row.id = uint64_t(trace.id);
  row.pid = thread.pid;
  row.tid = thread.tid;
  row.start_ns = trace.start_ns();
  row.end_ns = trace.end_ns();
  row.operation = mentioned.number(trace.executions.front().operation);
  row.executions = uint32_t(trace.executions.size());
  row.max_depth = uint32_t(trace.max_depth());
  row.class_number = class_number;
  row.failed = std::ranges::any_of(trace.executions, &TracedExecution::failed);
  row.threads = threads_of(trace);
  row.session = chosen.catalogue.sessions()[trace.executions.front().session];
  return row;
}

bool before(const MentionedOperations& operations, snapshot::Sort sort, const TraceRow& a,
            const TraceRow& b) {
  const auto by = [&](auto key) {
    return std::tuple(key(a), a.start_ns, a.id) < std::tuple(key(b), b.start_ns, b.id);
  };
  switch (sort) {
    case snapshot::Sort::kDuration:
      return by([](const TraceRow& r) { return r.end_ns - r.start_ns; });
    case snapshot::Sort::kExecutions:
      return by([](const TraceRow& r) { return r.executions; });
    case snapshot::Sort::kDepth:
      return by([](const TraceRow& r) { return r.max_depth; });
    case snapshot::Sort::kClass:
      return by([](const TraceRow& r) { return r.class_number; });
    case snapshot::Sort::kOperation:
      return by([&](const TraceRow& r) {
        const auto& operation = operations[r.operation];
        return std::tie(operation.component, operation.name);
      });
    case snapshot::Sort::kStart:
      break;
  }
  return by([](const TraceRow& r) { return r.start_ns; });
}

}  // namespace

snapshot::Traces traces(const Chosen& chosen, const AnalysisRequest& request, Mentioned& mentioned,
                        uint64_t& left_out) {
  snapshot::Traces out;
  for (size_t i = 0; i < chosen.traces.size(); ++i)
    out.rows.push_back(row_of(chosen, *chosen.traces[i], chosen.class_numbers[i], mentioned));
  const size_t shown = std::min<size_t>(request.limit, out.rows.size());
  const auto sort = request.sort.known().value_or(snapshot::Sort::kStart);
  const MentionedOperations& names = mentioned.operations();
  std::ranges::partial_sort(
      out.rows, out.rows.begin() + ptrdiff_t(shown), [&](const auto& a, const auto& b) {
        return request.ascending ? before(names, sort, a, b) : before(names, sort, b, a);
      });
  left_out = out.rows.size() - shown;
  out.rows.resize(shown);
  return out;
}

graphs::EquivalenceClasses classes_of(const Chosen& chosen) {
  graphs::EquivalenceClasses classes(false);
  for (size_t i = chosen.traces.size(); i-- > 0;) classes.add(*chosen.traces[i]);
  return classes;
}

snapshot::Classes classes(const Chosen& chosen, const AnalysisRequest& request,
                          Mentioned& mentioned, uint64_t& left_out) {
  snapshot::Classes out;
  std::unordered_map<int64_t, uint32_t> number_of;  // by trace
  for (size_t i = 0; i < chosen.traces.size(); ++i)
    number_of[chosen.traces[i]->id] = chosen.class_numbers[i];
  const graphs::EquivalenceClasses all = classes_of(chosen);
  for (const uint32_t position : all.by_cardinality()) {
    if (out.rows.size() >= request.limit) break;
    const graphs::EquivalenceClass& of = all.classes()[position];
    const Trace& trace = of.representative;
    const graphs::RawTimes& whole = of.raw.front();
    out.rows.push_back({number_of[trace.id], of.cardinality,
                        mentioned.number(trace.executions.front().operation),
                        uint32_t(trace.executions.size()), uint32_t(trace.max_depth()),
                        uint64_t(trace.id), whole.min_ns, whole.mean_ns(), whole.max_ns});
  }
  left_out = all.classes().size() - out.rows.size();
  return out;
}

snapshot::OneTrace steps(const Chosen& chosen, const AnalysisRequest& request, Mentioned& mentioned,
                         uint64_t& left_out) {
  snapshot::OneTrace out;
  if (chosen.traces.empty()) return out;
  const Trace& trace = *chosen.traces.back();  // the newest
  out.trace = row_of(chosen, trace, chosen.class_numbers.back(), mentioned);
  const std::vector<uint64_t> real_ns = trace.real_ns();
  const std::vector<double> probes_ns = trace.probes_ns();
  const size_t shown = std::min<size_t>(request.limit, trace.executions.size());
  for (size_t i = 0; i < shown; ++i) {
    const TracedExecution& e = trace.executions[i];
    const record::ThreadInfo& thread = thread_info(chosen.checkpoint, e.thread);
    out.steps.push_back({mentioned.number(e.operation), trace.caller[i], thread.pid, thread.tid,
                         e.start_ns, e.end_ns, real_ns[i], uint32_t(e.eoi), uint32_t(e.ess),
                         e.failed, less_probes(real_ns[i], probes_ns[i])});
  }
  left_out = trace.executions.size() - shown;
  return out;
}

}  // namespace compmond::present
