// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "recorder.h"

namespace compmond::trace {

// Threads whose fibers call, return, change places and are given up as random numbers say, each on
// a stack of its own; and what became of each call. A fiber runs on any of the threads, on one at a
// time.
class Fibers {
 public:
  struct Place {
    size_t thread = 0, event = 0;  // in `events`
  };
  struct Call {
    OperationId op = 0;
    uint64_t start_ns = 0, end_ns = 0;  // end 0: it never returned
    Place entry, exit;
  };
  static constexpr OperationId kOperations = 6;

  std::vector<std::vector<record::Event>> events;  // by thread
  std::vector<Call> calls;

  // Stacks of these many KiB, one below the other, without room between them; at least as many as
  // threads. `watched`: what changes them is seen to be called.
  Fibers(const std::vector<uint64_t>& kilobytes, bool watched, size_t threads = 1)
      : events(threads), watched_(watched) {
    uint64_t top = 0x7f00'0000'0000;
    for (const uint64_t size : kilobytes) {
      fibers_.push_back({top, size << 10, {}});
      top -= size << 10;
    }
    for (size_t i = 0; i < threads; ++i) current_.push_back(i);
  }

  void step(uint32_t random) {
    const uint32_t action = random % 16, value = random / 16;
    thread_ = (thread_ + value / 7 % events.size()) % events.size();
    now_ += 1 + value % 7;
    if (action < 5)
      change(value % fibers_.size());
    else if (action < 11)
      call(OperationId(value % kOperations), value / kOperations);
    else if (action < 15)
      give_back();
    else if (value % 4 == 0 && events.size() == 1)
      running().frames.clear();  // given up: another one begins on its stack
  }

 private:
  struct Live {
    uint64_t sp = 0;
    size_t call = 0;
  };
  struct Fiber {
    uint64_t top = 0, size = 0;
    std::vector<Live> frames;
  };
  Fiber& running() { return fibers_[current_[thread_]]; }
  Place next() const { return {thread_, events[thread_].size()}; }
  void add(const record::Event& event) { events[thread_].push_back(event); }

  void change(size_t fiber) {
    if (std::ranges::count(current_, fiber) > 0) return;
    const Fiber& left = running();
    const uint64_t sp = (left.frames.empty() ? left.top : left.frames.back().sp) - 40;
    if (watched_) add(transfer(Transfer::kJump, sp, now_));
    current_[thread_] = fiber;
  }
  void call(OperationId op, uint32_t value) {
    // Most frames are small; between two observed ones there may be others.
    const uint64_t most = value % 8 == 0 ? 8192 : 400;
    const uint64_t used = 16 + value / 8 * 8 % most;
    Fiber& fiber = running();
    const uint64_t sp = (fiber.frames.empty() ? fiber.top : fiber.frames.back().sp) - used;
    if (sp < fiber.top - fiber.size + 256) return give_back();
    fiber.frames.push_back({sp, calls.size()});
    calls.push_back({op, now_, 0, next(), {}});
    add(in(op, sp, now_));
  }
  void give_back() {
    Fiber& fiber = running();
    if (fiber.frames.empty()) return;
    const Live gone = fiber.frames.back();
    fiber.frames.pop_back();
    Call& call = calls[gone.call];
    call.end_ns = now_;
    call.exit = next();
    add(out(call.op, gone.sp, now_));
  }

  bool watched_;
  std::vector<Fiber> fibers_;
  std::vector<size_t> current_;  // by thread: the fiber that it runs
  size_t thread_ = 0;
  uint64_t now_ = 1000;
};

}  // namespace compmond::trace
