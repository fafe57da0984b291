// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "record/event.h"
#include "trace/execution.h"

namespace compmond::trace {

// Pairs entries with exits, per thread and by stack pointer (the pairing rule: a frame is
// (operation, sp, time)).
//   entry(sp): frames with a smaller sp are dead, close them as abandoned; a frame with an equal sp
//   is dead too unless
//              this is a tail call; push. An entry-only execution closes at once and is never on
//              the stack.
//   exit(sp):  close frames with a smaller sp as abandoned; the topmost frame at sp with the same
//   operation is the
//              match (frames above it at the same sp are abandoned); none: an orphan exit, counted
//              and ignored.
//   exec, thread exit, loss, eviction close all frames of the thread with that reason.
//   exit(sp) by a jump to another observed operation: it goes on, below that one, whose entry has
//              the same sp and comes next, and ends when that one returns (where it does not come,
//              at the jump).
//   transfer(sp): control goes on elsewhere without a return, where is not known. Frames with a
//   smaller sp are dead; at a
//              catch, which is where it went on, those with an equal sp too. Those on the stack are
//              not closed: the next event shows which of them are dead, and those ended here.
// Where frames are found dead, they ended at the latest transfer that began on their stack, if
// nothing came between; time after it belongs to who is left. A catch without a transfer before it
// ended them itself. Else their end is only known to lie between the event before (a transfer, or
// what showed them alive) and the one that found them dead: they close at the latter, and how far
// they and who is left may be off is kept (Execution::unsure_ns). Of two transfers the later one
// counts.
// Times that run backwards within a thread are clamped to the thread's latest.
//
// Several stacks on one thread (signal stacks, fibers). The rule above holds within one stack;
// which stack an sp belongs to:
//   * the one with the nearest live frames, if they are within reach: 1 MiB on either side, and
//   once the thread is known
//     to switch, 48 KiB below and 4 KiB above them; for an exit, first of all the one with the
//     matching frame;
//   * else an entry begins a new stack, whose parent is the one that ran until then;
//   * two stacks never overlap: where they do, the frames of the one not running are dead.
// A thread is known to switch when an event returns to a stack that it had left. It is known to run
// fibers when the target does (Stacks::kSwitching), or when an exit arrives for a frame that was
// closed as abandoned. Then, as a fiber is only seen to run by its calls,
//   * frames with a smaller sp than an event's are not dead but another fiber's, which began within
//   reach below this one and looked like its calls: they become a stack of their own, and close
//   when they return, when another stack overlaps them, or with their thread. Only where an
//   exception was thrown they are dead.
//   * nothing is within reach above a stack, and an exit without a frame leaves all as it is.
// A fiber that goes on on another thread is not followed: there its exits are orphans. Only one
// frame runs: the top of the current
// stack. A switch is seen at the first event on the other stack; when a stack empties, its parent
// goes on. Frames of a stack left for good (siglongjmp out of a signal stack) close when that stack
// is used again or its thread ends.
//
// Real time is the time on top of the thread, so the real times of a thread never exceed its wall
// time; on an ordinary stack this equals raw time minus the raw times of the directly nested
// executions.
class Tracer : public record::EventSink {
 public:
  // `component_of[op]`: component index of each operation, for the outermost-of-component flag. The
  // sink must outlive the tracer. `stacks` says whether the target is known to switch stacks (it
  // imports swapcontext and the like), `open_exits` how many limited exits (record::kLimitedExit)
  // can be awaited at once per thread.
  enum class Stacks { kOrdinary, kSwitching };
  Tracer(const std::vector<int>& component_of, ExecutionSink& sink,
         Stacks stacks = Stacks::kOrdinary, uint32_t open_exits = UINT32_MAX);
  ~Tracer() override;

  void on_thread(ThreadId thread, const record::ThreadInfo& info) override;
  void on_events(ThreadId thread, std::span<const record::Event> events) override;

  // Closes every open execution of every thread as lossy at `now_ns`: their ends will not be seen.
  void close_all(uint64_t now_ns);

  const Ledger& ledger() const;
  // Appends every open execution, bottom of stack first per thread and stack.
  void open_executions(std::vector<OpenExecution>& out) const;
  // Those of which a call is open on the thread, or was abandoned of late: what record::kGone
  // means.
  std::set<OperationId> operations_of(ThreadId thread) const;
  // Those that had events and have not ended.
  std::vector<ThreadId> threads() const;
  // When the latest event of the thread was; 0 before the first and after its last.
  uint64_t latest_ns(ThreadId thread) const;
  // Whether the thread was seen switching stacks (see above); false after its last event.
  bool switches_stacks(ThreadId thread) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace compmond::trace
