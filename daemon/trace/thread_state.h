// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "trace/contexts.h"
#include "trace/open_counts.h"
#include "trace/stack.h"

namespace compmond::trace {

// What the unwinder is at on a thread, as far as it was seen.
struct Unwinding {
  bool forced = false;  // the thread is being ended; until it is
  bool thrown = false;  // an exception is on its way
};

// The stacks of one thread, and which of them an sp belongs to (the rule in tracer.h). Always has a
// current stack, which may be empty; every other stack has frames.
class ThreadState {
 public:
  explicit ThreadState(bool fibers) : switching_(fibers), fibers_(fibers), stacks_(1) {
    stacks_[0].id = next_id_++;
  }

  Stack& current() { return stacks_[current_]; }
  const std::vector<Stack>& stacks() const { return stacks_; }
  std::vector<Stack>& stacks() { return stacks_; }
  const Stack& current() const { return stacks_[current_]; }

  // Whether sp belongs to the current stack without a look at others.
  bool on_current(uint64_t sp) const {
    if (stacks_.size() > 1 || switching_) return false;
    return stacks_[0].empty() || distance(stacks_[0], sp) <= kReach;
  }
  // Makes the stack of an entry's sp current; a new one where there is none.
  void select_for_entry(uint64_t sp);
  // Makes the stack of an exit current; false where no stack can hold its frame.
  bool select_for_exit(uint64_t sp, OperationId op);
  // Moves the frames of the current stack below sp, all of which the sink knows, to a stack of
  // their own, which does not run. References to stacks are void then.
  void set_aside(uint64_t sp);
  // Makes the stack current on which a transfer of control began; false where none is near.
  bool select_for_transfer(uint64_t sp);
  // What was left by a jump to the operation of `entry` ends in the trap of that one's return
  // probe, and has none of its own: that is a cheap exit.
  void share_exit(const record::Event& entry);
  // After the current stack has emptied: its parent goes on.
  void leave_if_empty();
  // Makes some suspended stack current, the current one being empty.
  void select_suspended();
  // The frame on which an execution that begins now on the current stack is nested, or nullptr.
  const Frame* below() const { return current().empty() ? below_stack() : &current().top(); }
  void append_open(std::vector<OpenExecution>& out) const;
  // Forgets the stacks without frames, except the current one. References to stacks are void then.
  void drop_empty();
  // The stack that must make room for a new one, or nullptr while there is room.
  Stack* stack_to_evict();
  // Another stack whose frames lie among those of the current one with an entry at sp, or nullptr.
  Stack* overlapped(uint64_t sp);

  // Remembers a frame closed as abandoned; an exit for it later proves that the thread runs fibers.
  void remember_abandoned(const Frame& frame) {
    abandoned_[next_abandoned_++ % abandoned_.size()] = {frame.sp, frame.op};
  }
  bool was_abandoned(uint64_t sp, OperationId op) const;
  void forget_abandoned() { abandoned_ = {}; }
  void forget_abandoned(OperationId op) {
    for (Gone& gone : abandoned_)
      if (gone.op == op) gone = {};
  }
  // Those with open frames, or with such as are remembered.
  void append_operations(std::set<OperationId>& out) const {
    for (const Stack& stack : stacks_)
      for (size_t i = 0; i < stack.size(); ++i) out.insert(stack.at(i).op);
    for (const Gone& gone : abandoned_)
      if (gone.op != kNoOperation) out.insert(gone.op);
  }

  bool seen_switching() const { return seen_switching_; }
  void mark_switching() { switching_ = seen_switching_ = true; }
  // Whether its stacks are those of fibers: each may go on at any time.
  bool fibers() const { return fibers_; }
  void mark_fibers() {
    mark_switching();
    fibers_ = true;
  }

  uint64_t last_ns = 0;     // time of the latest event
  uint64_t tell_by_ns = 0;  // where the part of the clock ends that is told in one sum
  uint64_t trace_id = 0;
  uint32_t next_eoi = 0;
  uint32_t frames = 0;         // on all stacks
  uint32_t limited_exits = 0;  // awaited
  Unwinding unwinding;
  OpenCounts<32> open_operations;  // two cache lines, and more than most threads have open
  OpenCounts<16> open_components;
  std::unique_ptr<Contexts> contexts;  // since the first context event of the thread

 private:
  struct Gone {
    uint64_t sp = 0;
    OperationId op = kNoOperation;
  };
  static constexpr uint64_t kReach =
      1u << 20;  // most programs use far less stack between two observed calls
  // A common fiber stack is 64 KiB: calls reach down from its top, and hardly ever above the first
  // observed frame. Above that of a fiber another stack may begin at once.
  static constexpr uint64_t kFiberReachBelow = 48u << 10;
  static constexpr uint64_t kFiberReachAbove = 4u << 10;
  static constexpr size_t kStacks = 128;  // per thread; looked through at each switch

  static uint64_t distance(const Stack& stack, uint64_t sp) {
    if (sp < stack.top().sp) return stack.top().sp - sp;
    return sp > stack.bottom().sp ? sp - stack.bottom().sp : 0;
  }
  const Frame* below_stack() const;
  bool reaches(const Stack& stack, uint64_t sp) const;
  int nearest(uint64_t sp) const;
  int find(uint32_t id) const;
  void switch_to(size_t index);
  void begin_stack();

  bool switching_;
  bool fibers_;
  bool seen_switching_ = false;
  size_t current_ = 0;
  uint32_t next_id_ = 1;
  std::vector<Stack> stacks_;
  std::array<Gone, 16> abandoned_;  // as deep as observed frames of a fiber usually are
  uint32_t next_abandoned_ = 0;
};

}  // namespace compmond::trace
