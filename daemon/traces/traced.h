// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/context.h"
#include "traces/catalogue.h"

// Executions as members of traces, wherever they come from: a log of compmond, one of Kieker, or
// the history. What every trace analysis works on.
namespace compmond::traces {

// One ended execution of a trace. Times are ns of one clock per run (of logs: since the epoch),
// end >= start. Numbers of operation, host, program and session are those of one Catalogue.
struct TracedExecution {
  int64_t trace_id = 0;
  uint64_t start_ns = 0, end_ns = 0;
  uint32_t operation = 0;
  uint32_t host = 0;
  uint32_t session = 0;
  int32_t eoi = 0;  // order of start within the trace, from 0
  int32_t ess = 0;  // depth at start, from 0
  bool failed = false;
  uint32_t thread =
      0;  // of a run's history: its ThreadId; of a log: as in its Catalogue, 0: unknown
  // What its probes cost, as figures::CallCost; 0 where it is not known, as in logs of Kieker.
  float inside_ns = 0, outside_ns = 0;
  uint32_t program = 0;  // 0: unknown, as in logs of Kieker

  uint64_t raw_ns() const { return end_ns - start_ns; }
  bool operator==(const TracedExecution&) const = default;
};

// What an execution says of the trace or session that it belongs to, beyond its own thread: the
// value of an argument (docs/spec.md).
struct TraceLink {
  ContextKind kind = ContextKind::kTraceId;
  int32_t eoi = 0;     // of the execution
  uint64_t scope = 0;  // where the value means the same: 0 everywhere, else one process of one log
  std::string value;
  bool operator==(const TraceLink&) const = default;
};

// A trace that keeps the rules of eoi and ess: executions[i].eoi == i; caller[i] < i is the
// execution that called i, -1: the one outside. Never empty.
struct Trace {
  int64_t id = 0;
  std::vector<TracedExecution> executions;
  std::vector<int32_t> caller;
  std::vector<TraceLink> links;  // in any order; none where a trace was repaired or linked already
  // Of a linked trace, per execution: its real time, as on its own thread. Else empty: the callers
  // tell.
  std::vector<uint64_t> own_ns;
  // Likewise, what probes added to that.
  std::vector<double> own_probes_ns;
  // Likewise: which part of the trace it belongs to, from 0. A part is what one thread did without
  // a break.
  std::vector<uint32_t> part;

  uint64_t start_ns() const;  // the earliest start
  uint64_t end_ns() const;    // the latest end
  int32_t max_depth() const;  // the largest ess
  // Per execution: raw time minus the raw times of the executions that it called directly, not
  // below 0 (clocks of different hosts disagree); in a linked trace only of those on its own
  // thread.
  std::vector<uint64_t> real_ns() const;
  // Per execution: what probes added to its real time, its own and those of the executions that it
  // called directly, of a linked trace on its own thread.
  std::vector<double> probes_ns() const;
};

// Net real time: of executions with these times together.
uint64_t net_real_ns(uint64_t real_ns, double probes_ns);

// Traces are numbered per log: those of log n begin at n * kTracesPerLog. Those that begin inside
// what was the trace of a thread have the upper half.
constexpr int64_t kTracesPerLog = 1'000'000'000'000;
constexpr int64_t kFirstLinkedTrace = kTracesPerLog / 2;

// How long, in log time, a trace that looks complete may still grow: by another thread or host.
constexpr uint64_t kLingerNs = 10'000'000'000;

// The name of the caller outside.
constexpr const char* kOutside = "$";

// Takes what a log tells. Called on the thread that reads.
class TracedSink {
 public:
  virtual ~TracedSink() = default;
  // `logged_ns`: when the record was written; does not run backwards within a log.
  virtual void on_execution(const TracedExecution& execution, uint64_t logged_ns) = 0;
  // Said of an execution before it is handed over.
  virtual void on_link(int64_t /*trace_id*/, const TraceLink&) {}
  // The log itself shows that this trace cannot be rebuilt. `why` is shown to people.
  virtual void on_unusable(int64_t trace_id, std::string_view why) = 0;
};

}  // namespace compmond::traces
