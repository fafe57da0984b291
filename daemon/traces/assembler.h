// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/limits.h"
#include "traces/traced.h"

namespace compmond::traces {

// Sorts `executions` by eoi and checks them: eoi 0, 1, 2, … without gap or repetition; ess 0 at the
// first, never negative, and never more than one above the one before. On success fills `trace`
// (all but its id); else says, for people, which rule is broken where, and leaves `executions`
// sorted.
std::optional<std::string> build_trace(std::vector<TracedExecution>& executions, Trace& trace);

// Numbers eoi and ess anew from the times alone: an execution is called by the innermost one that
// contains it in time. What the log lacks stays lacking.
void repair(std::vector<TracedExecution>& executions);

// Puts executions together to traces and hands each on as soon as it is complete: no gap in its
// eoi, its first execution known, and nothing more of it logged for `linger_ns`. Memory is bounded
// by the traces under way: beyond `open_limit` executions those touched least recently are given up
// as broken.
class TraceAssembler : public TracedSink {
 public:
  struct Options {
    bool repair = false;     // mend broken traces instead of leaving them out
    uint64_t linger_ns = 0;  // of log time; 0 where a trace is known to end with its first
                             // execution's record
    size_t open_limit = limits::kOpenTraceExecutions;
    // Which broken and repaired traces are told of, by their first start and last end; none: all.
    std::function<bool(uint64_t start_ns, uint64_t end_ns)> concerns;
    // Whether all of a trace was observed; none: of each. A broken one of which that is not so is
    // handed on, mended, for whoever leaves those out, and not told of.
    std::function<bool(const Trace&)> observed;
  };
  using Deliver = std::function<void(const Trace&)>;
  TraceAssembler(Options options, Deliver deliver);

  void on_execution(const TracedExecution& execution, uint64_t logged_ns) override;
  void on_link(int64_t trace_id, const TraceLink& link) override;
  void on_unusable(int64_t trace_id, std::string_view why) override;
  // The logs are at their end: judges what is still open.
  void finish();

  struct Counts {
    uint64_t traces = 0;      // delivered, repaired ones among them
    uint64_t executions = 0;  // in them
    uint64_t broken = 0;      // traces left out
    uint64_t broken_executions = 0;
    uint64_t beyond_repair = 0;  // of broken: nothing of them is known that could be mended
    uint64_t repaired = 0;
  };
  const Counts& counts() const { return counts_; }
  // What was wrong with the first few broken or repaired traces, a sentence each.
  const std::vector<std::string>& examples() const { return examples_; }

 private:
  struct Open {
    std::vector<TracedExecution> executions;
    std::vector<TraceLink> links;
    int32_t max_eoi = -1;
    bool has_first = false;
    uint64_t touched_ns = 0;  // log time of its newest execution
    std::string unusable;     // why, where the log said so
    bool complete() const {
      return has_first && executions.size() == size_t(max_eoi) + 1 && unusable.empty();
    }
  };
  using OpenTraces = std::unordered_map<int64_t, Open>;

  void judge(OpenTraces::iterator open);
  bool concerns(const std::vector<TracedExecution>& executions) const;
  void deliver_ripe(uint64_t now_ns);
  void give_up_oldest();

  Options options_;
  Deliver deliver_;
  OpenTraces open_;
  size_t open_executions_ = 0;
  struct Ripe {
    int64_t trace_id;
    uint64_t touched_ns;
  };
  std::deque<Ripe> ripe_;  // complete traces, in the order in which they became so
  uint64_t now_ns_ = 0;    // newest log time
  Trace trace_;            // reused
  Counts counts_;
  std::vector<std::string> examples_;
};

}  // namespace compmond::traces
