// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "recorder.h"

namespace compmond::trace {

// The stack of a thread of an imaginary program: emits the events that probes would see of what is
// done to it, and knows by itself what the executions were. Operations with an even number have
// return probes, odd ones probes at their ret sites, every seventh is entry-only.
class SimulatedStack {
 public:
  static constexpr uint32_t kOpenExits = 64;  // return probes that can be awaited

  std::vector<record::Event> events;
  std::vector<Execution> expected;  // in order of closing; trace ids count from 1
  uint64_t entries = 0, orphans = 0;

 protected:
  SimulatedStack(uint64_t sp, uint64_t start_ns) : base_sp_(sp), now_(start_ns) {}

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

  // What lies above alive_ has been left; the next event shows it.
  void show_jump() {
    uint64_t unsure = 0;
    while (frames_.size() > alive_) {
      const bool passed = left_ == Left::kPassed && frames_.size() <= left_frames_;
      const uint64_t within = now_ - (passed ? left_ns_ : event_ns_);
      if (left_ != Left::kFresh) unsure = std::max(unsure, within);
      if (left_ == Left::kFresh)
        pop(left_reason_, left_ns_);
      else
        pop(passed ? left_reason_ : Closed::kAbandoned, now_, within);
    }
    left_frames_ = std::min(left_frames_, frames_.size());
    if (!frames_.empty()) frames_.back().execution.unsure_ns += unsure;
    if (left_ == Left::kFresh) left_ = Left::kPassed;
    event_ns_ = now_;
  }
  void show_return() {
    if (frames_.size() < left_frames_ || frames_.empty()) forget_transfer();
  }
  void forget_transfer() { left_ = Left::kNone, left_frames_ = 0; }
  void pop(Closed reason) { pop(reason, now_); }
  void pop(Closed reason, uint64_t end_ns, uint64_t unsure_ns = 0) {
    Execution done = frames_.back().execution;
    frames_.pop_back();
    done.end_ns = end_ns;
    done.reason = reason;
    done.unsure_ns += unsure_ns;
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
        if (open >= kOpenExits)
          e.flags |= kTruncated;
        else if ((event_flags & record::kTailCall) && frames_.back().sp == sp)
          share_trap(frames_.back());
      }
      frames_.push_back(live);
      alive_ = frames_.size();
    }
    events.push_back(in(op, sp, now_, event_flags));
  }

  // One that has a return probe jumped to another one.
  static void share_trap(Live& caller) {
    if (return_probe(caller.execution.op) && !(caller.execution.flags & kTruncated))
      caller.execution.flags |= kCheapExit;
  }
  // Whether a return probe below has replaced the return address at sp.
  bool trampoline_at(uint64_t sp) const {
    for (size_t i = 0; i < alive_; ++i)
      if (frames_[i].sp == sp && return_probe(frames_[i].execution.op)) return true;
    return false;
  }
  void close_all(record::EventKind kind, Closed reason) {
    alive_ = frames_.size();
    // What a thread goes on as after an exec is another one, which here has the same number.
    events.push_back(other(kind, now_, kind == record::EventKind::kExec));
    while (!frames_.empty()) pop(reason);
    forget_transfer();
    event_ns_ = now_;
  }

  uint64_t base_sp_;
  uint64_t now_;
  uint64_t trace_ = 0;
  uint32_t eoi_ = 0;
  std::vector<Live> frames_, inherited_;
  size_t alive_ = 0;

  // The latest transfer of control, as in trace/stack.h.
  enum class Left { kNone, kFresh, kPassed };
  Left left_ = Left::kNone;
  Closed left_reason_ = Closed::kAbandoned;
  uint64_t left_ns_ = 0, event_ns_ = 0;
  size_t left_frames_ = 0;
};

}  // namespace compmond::trace
