// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "export/exports.h"

namespace compmond::exporting {
namespace {

using traces::Trace;
using traces::TracedExecution;

constexpr uint64_t kDay = 86'400'000'000'000;

// Trace events of the JSON object form: a complete event per execution, a process per host. Traces
// or parts of one that overlap stand in different rows, since what stands in one row must nest.
// Times are µs since the beginning of the first trace's day: since the epoch they would lose their
// ns in a double.
class Chrome : public Report {
 public:
  Chrome(const traces::Catalogue& catalogue, Out& out)
      : catalogue_(catalogue), out_(out), json_(out) {
    json_.begin_object().member("displayTimeUnit", "ns").key("traceEvents").begin_list();
  }

  void add(const Trace& trace) override {
    const uint64_t start = trace.start_ns();
    if (base_ns_ == UINT64_MAX) base_ns_ = start - start % kDay;
    const std::vector<size_t> rows = rows_of(trace);
    for (const TracedExecution& e : trace.executions) {
      const size_t row = rows[trace.part.empty() ? 0 : trace.part[size_t(e.eoi)]];
      const traces::TracedOperation& operation = catalogue_.operations()[e.operation];
      json_.begin_object().member("name", operation.name).member("cat", operation.component);
      json_.member("ph", "X").key("ts").raw(microseconds(int64_t(e.start_ns - base_ns_)));
      json_.key("dur").raw(microseconds(int64_t(e.raw_ns())));
      json_.member("pid", e.host + 1).member("tid", row + 1);
      json_.key("args").begin_object().member("trace", fmt::to_string(e.trace_id));
      json_.member("eoi", e.eoi).member("ess", e.ess);
      json_.member("session", catalogue_.sessions()[e.session]).member("failed", e.failed);
      json_.end().end();
    }
  }

  Result<void> finish(const traces::LogFacts&) override {
    for (size_t host = 0; host < catalogue_.hosts().size(); ++host) {
      json_.begin_object().member("name", "process_name").member("ph", "M");
      json_.member("pid", host + 1).key("args").begin_object();
      json_.member("name", catalogue_.hosts()[host]).end().end();
    }
    json_.end().key("otherData").begin_object();
    json_.member("base_ns", base_ns_ == UINT64_MAX ? 0 : base_ns_).end().end();
    return {};
  }

 private:
  static std::string microseconds(int64_t ns) {
    const uint64_t size = ns < 0 ? uint64_t(-ns) : uint64_t(ns);
    return fmt::format("{}{}.{:03}", ns < 0 ? "-" : "", size / 1000, size % 1000);
  }

  // Per part of the trace: its row.
  std::vector<size_t> rows_of(const Trace& trace) {
    if (trace.part.empty()) return {row_for(trace.start_ns(), trace.end_ns())};
    std::vector<std::pair<uint64_t, uint64_t>> spans;
    for (size_t i = 0; i < trace.executions.size(); ++i) {
      const TracedExecution& e = trace.executions[i];
      if (trace.part[i] >= spans.size()) spans.resize(trace.part[i] + 1, {UINT64_MAX, 0});
      auto& [start, end] = spans[trace.part[i]];
      start = std::min(start, e.start_ns);
      end = std::max(end, e.end_ns);
    }
    std::vector<size_t> out;
    for (const auto& [start, end] : spans) out.push_back(row_for(start, end));
    return out;
  }

  // Traces come about in the order of their ends, so a row is free after its latest end.
  size_t row_for(uint64_t start, uint64_t end) {
    const auto free = std::find_if(row_ends_.begin(), row_ends_.end(),
                                   [&](uint64_t last) { return last <= start; });
    const auto row = size_t(free - row_ends_.begin());
    if (free == row_ends_.end()) row_ends_.push_back(0);
    row_ends_[row] = end;
    return row;
  }

  const traces::Catalogue& catalogue_;
  Out& out_;
  JsonWriter json_;
  uint64_t base_ns_ = UINT64_MAX;
  std::vector<uint64_t> row_ends_;
};

}  // namespace

std::unique_ptr<Report> make_chrome(const traces::Catalogue& catalogue, const ReportOptions&,
                                    Out& out) {
  return std::make_unique<Chrome>(catalogue, out);
}

}  // namespace compmond::exporting
