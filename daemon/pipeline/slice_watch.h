// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/window.h"
#include "counts/counts.h"
#include "counts/slice.h"
#include "record/event.h"
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
  // Between operations that were all there: how often the one called the other.
  std::map<std::pair<record::OperationId, record::OperationId>, uint64_t> callers;
  bool lost = false;  // records: then it tells nothing
};

// Takes what operations do in a slice out of the events of a run, in which their calls would be a
// part of all and look like all. One thread.
class SliceWatch final : private trace::ExecutionSink {
 public:
  // `attached`: per operation, whether its probes are there for the slice alone.
  SliceWatch(const std::vector<int>& component_of, std::vector<bool> attached);
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
    record::OperationId op = 0, caller = 0;
  };
  struct Thread {
    std::vector<Input> earlier, inputs;
    std::vector<Call> calls;
  };
  bool is_of(const record::Event& event) const;
  void note_input(record::ThreadId thread, const record::Event& event);
  void add(const trace::Begun& execution);
  void on_begin(const trace::Begun& execution) override { add(execution); }
  void on_top(record::OperationId, uint64_t, uint64_t) override {}
  void on_closed(const trace::Execution&) override {}
  void on_whole(const trace::Execution& execution) override { add(execution); }

  std::vector<bool> attached_;
  trace::Tracer tracer_;  // of these operations alone
  std::map<record::ThreadId, Thread> threads_;
  std::vector<record::Event> own_;
  bool lost_ = false;
};

}  // namespace compmond::pipeline
