// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "simulated_stack.h"

namespace compmond::trace {

// A thread of an imaginary program that calls, returns, tail-calls, throws and jumps as its script
// of random numbers says.
class Simulator : public SimulatedStack {
 public:
  static constexpr OperationId kOperations = 14;

  enum class Transfers { kUnseen, kSeen };
  explicit Simulator(uint64_t sp, uint64_t start_ns = 1000,
                     Transfers transfers = Transfers::kUnseen)
      : SimulatedStack(sp, start_ns), sees_transfers_(transfers == Transfers::kSeen) {}

  void step(uint32_t random) {
    const uint32_t action = random % 16, value = random / 16;
    tick(value % 50);
    const auto op = OperationId(value / 50 % kOperations);
    if (action >= 6 && action < 12 && alive_ == 0 && !inherited_.empty())
      give_back_inherited();
    else if (action < 6 || alive_ == 0)
      call(op, 16 + value / 1000 % 500 * 8);
    else if (action < 12)
      give_back();
    else if (action < 14)
      tail_call(op);
    else if (action == 14)
      unwind(value / 50);
    else if (value % 16 == 0)
      close_all(record::EventKind::kExec, Closed::kExec);
    else if (value % 16 == 1)
      close_all(record::EventKind::kLoss, Closed::kLossy);
  }
  void finish() {
    tick(1);
    close_all(record::EventKind::kThreadExit, Closed::kThreadExit);
  }

  // The only thread of a child process that is forked now: it returns from calls that it never
  // made, which are orphans.
  Simulator fork() const {
    Simulator child(base_sp_, now_, sees_transfers_ ? Transfers::kSeen : Transfers::kUnseen);
    child.inherited_.assign(frames_.begin(), frames_.begin() + ptrdiff_t(alive_));
    return child;
  }

 private:
  bool sees_transfers_;

  void call(OperationId op, uint64_t size) {
    const uint64_t sp = callee_sp();
    show_jump();
    begin(op, sp, size, 0);
  }
  // What has more return probes than the kernel keeps loses its returns: here, no event.
  void give_back() {
    const Live& top = frames_[alive_ - 1];
    if (top.execution.flags & kTruncated) {
      --alive_;
      return;
    }
    show_jump();
    events.push_back(out(frames_.back().execution.op, frames_.back().sp, now_));
    pop(Closed::kReturned);
    show_return();
  }
  void give_back_inherited() {
    const Live gone = inherited_.back();
    inherited_.pop_back();
    if (gone.execution.flags & kTruncated) return;
    show_jump();
    events.push_back(out(gone.execution.op, gone.sp, now_));
    ++orphans;
  }
  void tail_call(OperationId op) {
    const Live top = frames_[alive_ - 1];
    if (top.execution.flags & kTruncated) return;
    show_jump();
    if (!return_probe(top.execution.op)) {
      events.push_back(out(top.execution.op, top.sp, now_));
      pop(Closed::kReturned);
      show_return();
    }
    begin(op, top.sp, top.size, trampoline_at(top.sp) ? record::kTailCall : 0);
  }
  // Leaves some frames, by an exception, a jump, or unseen; those that share an sp go together.
  void unwind(uint32_t count) {
    const uint32_t how = sees_transfers_ ? count / 5 % 3 : 2;
    if (how < 2) show_transfer(how == 0 ? Transfer::kThrow : Transfer::kJump);
    leave(count);
    if (how != 0) return;
    tick(count % 7);
    show_catch();
  }
  // Control is about to leave frames without a return, called from below all that there is.
  void show_transfer(Transfer kind) {
    if (frames_.empty()) return;
    events.push_back(transfer(kind, frames_.back().sp - 8, now_));
    left_ = Left::kFresh;
    left_ns_ = event_ns_ = now_;
    left_reason_ = kind == Transfer::kJump ? Closed::kJumped : Closed::kFailed;
    left_frames_ = frames_.size();
  }
  void show_catch() {
    if (frames_.empty()) return;
    events.push_back(transfer(Transfer::kCatch, callee_sp(), now_));
    show_jump();
    forget_transfer();
  }
  void leave(uint32_t count) {
    alive_ -= std::min<size_t>(alive_, 1 + count % 5);
    while (alive_ > 0 && alive_ < frames_.size() && frames_[alive_ - 1].sp == frames_[alive_].sp)
      --alive_;
  }
};

// Component of each operation of the simulator.
inline std::vector<int> simulator_components() {
  std::vector<int> component_of;
  for (OperationId op = 0; op < Simulator::kOperations; ++op) component_of.push_back(int(op / 3));
  return component_of;
}

}  // namespace compmond::trace
