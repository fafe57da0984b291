// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "record/event.h"

namespace compmond::trace {

using record::OperationId;
using record::ThreadId;

struct Context;  // contexts.h

constexpr OperationId kNoOperation = UINT32_MAX;  // "the caller is outside"

// Why an execution ended. kReturned is the only one whose end is a normal return. Three were left
// without one: kFailed by an exception, kJumped by a longjmp, a change of context or a forced
// unwinding, kAbandoned in a way that was not seen.
enum class Closed : uint8_t { kReturned, kAbandoned, kThreadExit, kExec, kLossy, kFailed, kJumped };
constexpr int kClosedReasons = 7;
constexpr bool left_without_return(Closed reason) {
  return reason == Closed::kAbandoned || reason == Closed::kFailed || reason == Closed::kJumped;
}

enum ExecutionFlags : uint8_t {
  kOutermostOfOperation = 1,  // no frame of the same operation is below it on its thread
  kOutermostOfComponent =
      2,  // no frame of the same component is below it: counts for the component's raw time
  kEntryOnly = 4,   // counted, not timed: end = start
  kCheapExit = 16,  // it was left where the probe costs less than at a return (record::kCheapExit),
                    // or in the trap of another one
  kTruncated = 8,   // deeper than the limited exits that can be awaited: its return was not seen
};

// What is known of an execution since it began. Times are CLOCK_MONOTONIC ns. Fills
// whole words of four bytes: an odd length is copied by stores that overlap, and who reads the copy
// at once waits for both (no store forwarding), which makes deep stacks a quarter slower.
struct Begun {
  uint64_t start_ns = 0;
  uint64_t trace_id = 0;  // unique per run
  OperationId op = 0;
  OperationId caller = kNoOperation;  // operation of the execution below on the stack
  ThreadId thread = 0;
  uint32_t eoi = 0;    // order of start within its trace, from 0
  uint16_t ess = 0;    // depth at start, from 0 (saturates)
  uint16_t flags = 0;  // ExecutionFlags
};

// One closed execution; end >= start.
struct Execution : Begun {
  Closed reason = Closed::kReturned;
  uint32_t stays = 0;  // how often it met a probe where it might have ended, and went on
  uint64_t end_ns = 0;
  uint64_t nested_ns =
      0;  // raw time minus the time on top of its thread, so real = end - start - nested; on an
          // ordinary stack this is the sum of the raw times of the directly nested executions
  // Its real time may be off by so much: it was left, or left others, at a time that is only known
  // to lie within bounds. Where it was left (reason), it ended not before end_ns - unsure_ns.
  uint64_t unsure_ns = 0;
};

// An execution that has not ended. Its real time as of `now` is own_ns, plus now - on_top_since_ns
// where it is on top.
struct OpenExecution : Begun {
  bool on_top = false;           // it is the one that runs now on its thread
  uint64_t nested_ns = 0;        // of the nested executions already closed
  uint64_t own_ns = 0;           // time on top of its thread, as already told to the sink by on_top
  uint64_t on_top_since_ns = 0;  // where on_top: the end of what own_ns covers
};

// Exact accounting of pairing: entries = returned + closed for another reason + open (+ entry-only,
// which close at once and count as returned).
struct Ledger {
  uint64_t entries = 0;
  uint64_t closed[kClosedReasons] = {};
  uint64_t open = 0;
  uint64_t orphan_exits = 0;  // exits without an entry: counted, ignored
  uint64_t clamped = 0;       // times that ran backwards within a thread and were clamped
  uint64_t evicted = 0;       // of closed[kLossy]: frames evicted because a stack reached its limit
  uint64_t lost_records = 0;  // as told by loss events
  uint64_t stack_switches = 0;   // threads seen switching stacks
  uint64_t invalid = 0;          // events that name no operation of the plan: ignored
  uint64_t absent_contexts = 0;  // arguments that could not be read, or not as a whole
  uint64_t transfers[record::kTransfers] = {};  // of control without a return, by record::Transfer
  bool balanced() const {
    uint64_t sum = open;
    for (uint64_t n : closed) sum += n;
    return entries == sum;
  }
};

// Real times of one execution that lie within the same such part of the clock may be told in one
// sum.
constexpr uint64_t kToldTogetherNs = 1'000'000;

// Where executions go. Called on the thread that feeds the tracer. An execution is told either as a
// whole, or by on_begin, any number of on_top and on_closed; when the tracer has taken in what it
// was given, all that began has been told, and all real time before the latest event of a thread.
class ExecutionSink {
 public:
  virtual ~ExecutionSink() = default;
  // What an argument says of the execution with this eoi in this trace, which is told next. Never
  // of absent ones.
  virtual void on_context(uint64_t /*trace_id*/, uint32_t /*eoi*/, const Context&) {}
  // An execution has begun: counted from now on. `caller` is kNoOperation at the bottom of a stack.
  virtual void on_begin(const Begun& execution) = 0;
  // `op` was on top of its thread's stack for to - from ns: during [from, to), or at other times in
  // the same kToldTogetherNs.
  virtual void on_top(OperationId op, uint64_t from_ns, uint64_t to_ns) = 0;
  virtual void on_closed(const Execution& execution) = 0;
  // An end that belongs to no execution of its thread (Ledger::orphan_exits).
  virtual void on_orphan(OperationId /*op*/) {}
  // An execution that began and ended within the same kToldTogetherNs, and so did all its real
  // time: what most of them are, in one call.
  virtual void on_whole(const Execution& execution) = 0;
};

}  // namespace compmond::trace
