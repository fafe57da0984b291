// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "export/exports.h"

namespace compmond::exporting {
namespace {

using traces::Trace;
using traces::TracedExecution;
using traces::TracedThread;

constexpr uint64_t kDay = 86'400'000'000'000;
// Between the numbers of processes of one host and the next: pids are lower.
constexpr uint64_t kHostPids = 10'000'000;
constexpr uint64_t kUnknownPid = 0;  // what is of no known process

// Trace events of the JSON object form: a complete event per execution, in rows that are the
// threads, with their own numbers and names; those of a second host are kHostPids higher. Of
// executions whose threads are unknown (logs of Kieker), traces or parts of one that overlap stand
// in different rows, since what stands in one row must nest. Times are µs: CLOCK_MONOTONIC of the
// first host or, where that is unknown, since the beginning of the first trace's day; since the
// epoch they would lose their ns in a double.
class Chrome : public Report {
 public:
  Chrome(const traces::Catalogue& catalogue, Out& out)
      : catalogue_(catalogue), json_(out, JsonLayout::kCompact) {
    json_.begin_object().member("displayTimeUnit", "ns").key("traceEvents").begin_list();
  }

  void add(const Trace& trace) override {
    if (base_ns_ == UINT64_MAX) base_ns_ = base_of(trace);
    std::vector<size_t> rows;  // where they are needed
    for (const TracedExecution& e : trace.executions) {
      if (e.thread == 0 && rows.empty()) rows = rows_of(trace);
      const size_t row =
          e.thread > 0 ? 0 : rows[trace.part.empty() ? 0 : trace.part[size_t(e.eoi)]];
      write(e, row, !trace.part.empty());
    }
  }

  Result<void> finish(const traces::LogFacts&) override {
    for (const auto& [pid, name] : processes_) name_row("process_name", pid, 0, name);
    for (const auto& [row, name] : threads_) name_row("thread_name", row.first, row.second, name);
    json_.end().key("otherData").begin_object();
    json_.member("base_ns", base_ns_ == UINT64_MAX ? 0 : base_ns_).end().end();
    return {};
  }

 private:
  void write(const TracedExecution& e, size_t row, bool linked) {
    const traces::TracedOperation& operation = catalogue_.operations()[e.operation];
    const auto [pid, tid] = e.thread > 0 ? row_of(e.thread) : unknown_row(e.host, row);
    json_.begin_object().member("name", operation.name).member("cat", operation.component);
    json_.member("ph", "X").key("ts").raw(microseconds(int64_t(e.start_ns - base_ns_)));
    json_.key("dur").raw(microseconds(int64_t(e.raw_ns())));
    json_.member("pid", pid).member("tid", tid);
    if (linked || e.failed) {
      json_.key("args").begin_object();
      if (linked) json_.member("trace", fmt::to_string(e.trace_id));
      if (e.failed) json_.member("failed", true);
      json_.end();
    }
    json_.end();
  }

  uint64_t base_of(const Trace& trace) const {
    for (const TracedExecution& e : trace.executions)
      if (e.thread > 0) return catalogue_.threads()[e.thread].monotonic_ns;
    return trace.start_ns() - trace.start_ns() % kDay;
  }

  using Row = std::pair<uint64_t, uint64_t>;  // pid, tid

  Row row_of(uint32_t number) {
    const TracedThread& thread = catalogue_.threads()[number];
    const Row row{kHostPids * thread.host + thread.pid, kHostPids * thread.host + thread.tid};
    if (threads_.emplace(row, thread.name).second)
      processes_.emplace(row.first,
                         named(thread.process.empty() ? thread.name : thread.process, thread.host));
    return row;
  }

  Row unknown_row(uint32_t host, size_t row) {
    const Row out{kHostPids * host + kUnknownPid, row + 1};
    processes_.emplace(out.first, catalogue_.hosts()[host]);
    return out;
  }

  // With its host where there are several.
  std::string named(const std::string& process, uint32_t host) const {
    return catalogue_.hosts().size() < 2 ? process : process + " on " + catalogue_.hosts()[host];
  }

  void name_row(const char* what, uint64_t pid, uint64_t tid, const std::string& name) {
    json_.begin_object().member("name", what).member("ph", "M").member("pid", pid);
    if (tid > 0) json_.member("tid", tid);
    json_.key("args").begin_object().member("name", name).end().end();
  }

  static std::string microseconds(int64_t ns) {
    const uint64_t size = ns < 0 ? uint64_t(-ns) : uint64_t(ns);
    std::string out = fmt::format("{}{}", ns < 0 ? "-" : "", size / 1000);
    if (size % 1000 == 0) return out;
    out += fmt::format(".{:03}", size % 1000);
    return out.erase(out.find_last_not_of('0') + 1);
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
  JsonWriter json_;
  uint64_t base_ns_ = UINT64_MAX;
  std::map<uint64_t, std::string> processes_;
  std::map<Row, std::string> threads_;
  std::vector<uint64_t> row_ends_;  // of the rows of what is of no known thread
};

}  // namespace

std::unique_ptr<Report> make_chrome(const traces::Catalogue& catalogue, const ReportOptions&,
                                    Out& out) {
  return std::make_unique<Chrome>(catalogue, out);
}

}  // namespace compmond::exporting
