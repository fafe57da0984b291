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

  explicit Simulator(uint64_t sp, uint64_t start_ns = 1000) : SimulatedStack(sp, start_ns) {}

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
    Simulator child(base_sp_, now_);
    child.inherited_.assign(frames_.begin(), frames_.begin() + ptrdiff_t(alive_));
    return child;
  }

 private:
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
    }
    begin(op, top.sp, top.size, trampoline_at(top.sp) ? record::kTailCall : 0);
  }
  // Leaves some frames; those that share an sp go together.
  void unwind(uint32_t count) {
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
