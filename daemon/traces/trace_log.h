// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/window.h"
#include "traces/traced.h"

namespace compmond::traces {

// Places of a log that could not be read; the rest of it was.
struct BadRecords {
  uint64_t count = 0;
  std::vector<std::string> examples;  // "kieker-1.dat:17: … ", the first few

  void add(std::string example) {
    constexpr size_t kExamples = 5;  // shown on a terminal; the count tells the rest
    ++count;
    if (examples.size() < kExamples) examples.push_back(std::move(example));
  }
};

// What was read, as told by whoever read it.
struct LogFacts {
  uint64_t traces = 0, executions = 0;
  uint64_t broken = 0;        // traces left out
  uint64_t repaired = 0;      // traces mended, among `traces`
  uint64_t bad_records = 0;   // places of the log that could not be read
  uint64_t not_observed = 0;  // traces left out, as probes were away in their time
};

// A log of ended executions, read record by record. One thread.
class TraceLog {
 public:
  virtual ~TraceLog() = default;
  // When the next record was written, ns since the epoch; nothing at the end. Several logs are
  // merged by it.
  virtual std::optional<uint64_t> next_ns() = 0;
  // Hands on what the next record completes, and moves on. At the end: hands on what is known to
  // stay incomplete.
  virtual void step(traces::TracedSink& sink) = 0;

  virtual const BadRecords& bad_records() const = 0;
  // Records that are whole but of no use here, such as measurements of CPU load.
  virtual uint64_t skipped() const = 0;
  // Arguments that were to be recorded but could not be read, or not as a whole.
  virtual uint64_t absent_contexts() const { return 0; }
  // Whether all that its operations did in the time of a trace could be seen. Of a trace of another
  // log: it says so.
  virtual bool saw_all_of(const Trace&) const { return true; }
  // What its traces of that time (ns since the epoch) lack, a sentence for a reader; empty: nothing
  // is known of.
  virtual std::string lacks(Window /*time*/) const { return {}; }
  // When its run began, ns since the epoch; nothing: it does not say so.
  virtual std::optional<uint64_t> begin_ns() const { return std::nullopt; }
  // How far it is, in units of its own.
  virtual uint64_t done() const = 0;
  virtual uint64_t total() const = 0;
  // Whether all records of a trace are in this log, the first execution's last.
  virtual bool traces_end_with_first() const = 0;
};

// Reads all logs to their end, merged by the time of their records. `tick` is called every few
// thousand records: some ms.
void read_merged(const std::vector<std::unique_ptr<TraceLog>>& logs, traces::TracedSink& sink,
                 const std::function<void()>& tick);

}  // namespace compmond::traces
