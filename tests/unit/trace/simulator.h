// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "recorder.h"

namespace compmond::trace {

// A thread of an imaginary program that calls, returns, tail-calls, throws and jumps as its script
// of random numbers says. Emits the events that probes would see, and knows by itself what the
// executions were. Operations with an even number have return probes, odd ones probes at their ret
// sites, every seventh is entry-only.
class Simulator {
 public:
  static constexpr OperationId kOperations = 14;
  static constexpr uint32_t kOpenExits = 64;  // return probes that can be awaited

  explicit Simulator(uint64_t sp, uint64_t start_ns = 1000) : base_sp_(sp), now_(start_ns) {}

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

  std::vector<record::Event> events;
  std::vector<Execution> expected;  // in order of closing; trace ids count from 1
  uint64_t entries = 0, orphans = 0;

 private:
  struct Live {
    Execution execution;
    uint64_t sp = 0, size = 0;
  };
  static bool entry_only(OperationId op) { return op % 7 == 6; }
  static bool return_probe(OperationId op) { return op % 2 == 0; }

  void tick(uint64_t ns) { now_ += ns; }
  uint64_t callee_sp() const {
    if (alive_ > 0) return frames_[alive_ - 1].sp - frames_[alive_ - 1].size;
    return inherited_.empty() ? base_sp_ : inherited_.back().sp - inherited_.back().size;
  }

  // What lies above alive_ has been jumped over; the next event shows it.
  void show_jump() {
    while (frames_.size() > alive_) pop(Closed::kAbandoned);
  }
  void pop(Closed reason) {
    Execution done = frames_.back().execution;
    frames_.pop_back();
    done.end_ns = now_;
    done.reason = reason;
    if (!frames_.empty()) frames_.back().execution.nested_ns += done.end_ns - done.start_ns;
    expected.push_back(done);
    alive_ = std::min(alive_, frames_.size());
  }

  void begin(OperationId op, uint64_t sp, uint64_t size, uint8_t event_flags) {
    ++entries;
    if (frames_.empty()) {
      ++trace_;
      eoi_ = 0;
    }
    Live live{{}, sp, size};
    Execution& e = live.execution;
    e.start_ns = now_;
    e.trace_id = trace_;
    e.op = op;
    e.eoi = eoi_++;
    e.ess = uint16_t(frames_.size());
    e.flags = kOutermostOfOperation | kOutermostOfComponent;
    for (const Live& below : frames_) {
      if (below.execution.op == op) e.flags &= uint8_t(~kOutermostOfOperation);
      if (below.execution.op / 3 == op / 3) e.flags &= uint8_t(~kOutermostOfComponent);
    }
    if (!frames_.empty()) e.caller = frames_.back().execution.op;
    if (entry_only(op)) {
      event_flags |= record::kEntryOnly;
      e.flags |= kEntryOnly;
      e.end_ns = now_;
      expected.push_back(e);
    } else {
      if (return_probe(op)) {
        event_flags |= record::kLimitedExit;
        uint64_t open = 0;
        for (const Live& below : frames_)
          open += return_probe(below.execution.op) && !(below.execution.flags & kTruncated);
        if (open >= kOpenExits) e.flags |= kTruncated;
      }
      frames_.push_back(live);
      alive_ = frames_.size();
    }
    events.push_back(in(op, sp, now_, event_flags));
  }

  void call(OperationId op, uint64_t size) {
    const uint64_t sp = callee_sp();
    show_jump();
    begin(op, sp, size, 0);
  }
  // Whether a return probe below has replaced the return address at sp.
  bool trampoline_at(uint64_t sp) const {
    for (size_t i = 0; i < alive_; ++i)
      if (frames_[i].sp == sp && return_probe(frames_[i].execution.op)) return true;
    return false;
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
  void close_all(record::EventKind kind, Closed reason) {
    alive_ = frames_.size();
    events.push_back(other(kind, now_));
    while (!frames_.empty()) pop(reason);
  }

  uint64_t base_sp_;
  uint64_t now_;
  uint64_t trace_ = 0;
  uint32_t eoi_ = 0;
  std::vector<Live> frames_, inherited_;
  size_t alive_ = 0;
};

// Component of each operation of the simulator.
inline std::vector<int> simulator_components() {
  std::vector<int> component_of;
  for (OperationId op = 0; op < Simulator::kOperations; ++op) component_of.push_back(int(op / 3));
  return component_of;
}

}  // namespace compmond::trace
