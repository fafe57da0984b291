// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/window.h"
#include "figures/figures.h"
#include "recording/log_reader.h"
#include "trace/tracer.h"
#include "traces/trace_log.h"
#include "traces/traced.h"

namespace compmond::logs {

// A monitoring log as a log of executions: its events go through the tracer, as they did live. A
// trace is what one thread does under one execution at the bottom of its stack; its session is the
// thread ("1234/1240 worker"). Times are ns since the epoch. An execution that did not return, or
// was still open when the log ends, has failed. One that events were lost of is not whole:
// its trace is broken. Traces are numbered per run: those of the log
// numbered `number` begin at number * traces::kTracesPerLog. What arguments said is told as
// links.
class RecordedTraces : public traces::TraceLog, trace::ExecutionSink, record::EventSink {
 public:
  // The catalogue must outlive this. With `raw_costs` executions do not say what their probes cost.
  // Errors as of recording::LogReader::open; Exit::kData where it
  // holds samples alone.
  static Result<std::unique_ptr<RecordedTraces>> open(const std::string& path, int64_t number,
                                                      traces::Catalogue& catalogue,
                                                      bool raw_costs = false);

  // Whether that is why it does not open.
  static bool holds_samples_alone(const std::string& path);

  std::optional<uint64_t> next_ns() override;
  void step(traces::TracedSink& sink) override;
  const traces::BadRecords& bad_records() const override { return bad_records_; }
  uint64_t skipped() const override { return 0; }
  std::optional<uint64_t> begin_ns() const override {
    return reader_.header().start_ns + reader_.header().realtime_less_ns;
  }
  uint64_t done() const override { return events_done_; }
  uint64_t total() const override { return reader_.events(); }
  bool traces_end_with_first() const override { return true; }
  bool saw_all_of(const traces::Trace& trace) const override;
  std::string lacks(Window time) const override;
  uint64_t absent_contexts() const override { return tracer_.ledger().absent_contexts; }

 private:
  RecordedTraces(recording::LogReader reader, int64_t number, traces::Catalogue& catalogue,
                 bool raw_costs);
  void finish();
  void find_times_away();
  std::string why_away() const;
  std::string program_of(uint32_t pid) const;

  // From the reader, on to the tracer.
  void on_thread(record::ThreadId thread, const record::ThreadInfo& info) override;
  void on_events(record::ThreadId thread, std::span<const record::Event> events) override;
  // From the tracer.
  void on_context(uint64_t trace_id, uint32_t eoi, const trace::Context& context) override;
  void on_begin(const trace::Begun&) override {}
  void on_top(trace::OperationId, uint64_t, uint64_t) override {}
  void on_closed(const trace::Execution& execution) override;
  void on_whole(const trace::Execution& execution) override { on_closed(execution); }

  recording::LogReader reader_;
  traces::Catalogue& catalogue_;
  trace::Tracer tracer_;
  int64_t first_trace_;
  // Since the epoch: when probes of some operation were away, by program; and whose operations are
  // whose.
  std::map<std::string, std::vector<Window>> away_;
  std::unordered_map<uint32_t, std::string> part_of_;
  uint32_t host_;
  std::vector<uint32_t> operations_;       // of the log -> of the catalogue
  figures::Model costs_;                   // what its calls cost, and no more
  std::vector<uint32_t> sessions_;         // of the log's threads
  std::vector<uint32_t> threads_;          // of the log -> of the catalogue
  std::vector<uint32_t> pids_, programs_;  // likewise
  uint32_t pid_now_ = 0;                   // of the thread whose events are read
  traces::TracedSink* sink_ = nullptr;     // during step()
  uint64_t logged_ns_ = 0;                 // newest time so far
  uint64_t events_done_ = 0;
  bool ended_ = false;
  traces::BadRecords bad_records_;
};

}  // namespace compmond::logs
