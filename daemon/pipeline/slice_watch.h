// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "base/window.h"
#include "counts/collector.h"
#include "counts/slice.h"
#include "record/event.h"
#include "singles/single.h"
#include "trace/execution.h"
#include "trace/tracer.h"

namespace compmond::pipeline {

struct SliceThread {
  pid_t pid = 0, tid = 0;
  std::vector<uint64_t> calls;  // per operation
};

// What a slice has seen.
struct SliceSeen {
  counts::Slice slice;               // but for its slow-down
  std::vector<SliceThread> threads;  // with calls
  singles::Seen singles;
  bool lost = false;  // records: then it tells nothing
};

// Takes what operations do in a slice out of the events of a run, in which their calls would be a
// part of all and look like all. One thread.
class SliceWatch final : private trace::ExecutionSink {
 public:
  struct Of {                    // per operation
    std::vector<bool> attached;  // its probes are there for the slice alone
    // All its calls are, with their ends if it is timed: of attached ones, and of those that always
    // are. Of what is attached and not seen, entries alone are.
    std::vector<bool> seen;
    std::vector<double> cost_ns;  // of a call
  };
  // As of the tracer.
  SliceWatch(const std::vector<int>& component_of, Of of,
             trace::Tracer::Stacks stacks = trace::Tracer::Stacks::kOrdinary,
             uint32_t open_exits = UINT32_MAX);
  // What is not of the slice is appended to `others`.
  void on_events(record::ThreadId thread, std::span<const record::Event> events,
                 std::vector<record::Event>& others);
  // Nothing may follow. What came before the slice or after it does not count; before
  // `first_ends_ns` is its first part. What `unprobed` do is left out: processes that came
  // meanwhile, in which its probes are not.
  using WhoIs = std::function<record::ThreadInfo(record::ThreadId)>;
  SliceSeen end(Window slice, uint64_t first_ends_ns, const std::set<pid_t>& unprobed,
                const WhoIs& who_is);

 private:
  struct Input {
    uint64_t time_ns = 0;
    counts::Stratum stratum;
  };
  struct Call {
    uint64_t time_ns = 0;
    uint64_t end_ns = 0;  // 0: it did not return so far
    record::OperationId op = 0, caller = 0;
    bool outermost = false;  // of its component
  };
  struct Thread {
    std::vector<Input> earlier, inputs;
    std::vector<Call> calls;
    std::vector<size_t> open;  // of these
  };
  static Call as_call(const trace::Begun& execution, uint64_t end_ns);
  void note_entry(record::ThreadId thread, const record::Event& event);
  void note_input(record::ThreadId thread, const record::Event& event);
  void on_begin(const trace::Begun& execution) override;
  void on_top(record::OperationId, uint64_t, uint64_t) override {}
  void on_closed(const trace::Execution& execution) override;
  void on_orphan(record::OperationId op) override;
  void on_whole(const trace::Execution& execution) override;
  void collect(Window slice, record::ThreadId number, Thread& thread, counts::Collector& to);
  void add_singles(Window slice, record::ThreadId number, const Thread& thread,
                   singles::Choice& to);

  Of of_;
  trace::Tracer tracer_;  // of what is seen
  std::map<record::ThreadId, Thread> threads_;
  std::map<record::OperationId, singles::Edges> edges_;  // of attached ones
  std::vector<record::Event> own_;
  bool lost_ = false;
};

}  // namespace compmond::pipeline
