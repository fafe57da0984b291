// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>

#include "recorder.h"

using namespace compmond;
using namespace compmond::trace;
using record::Event;

namespace {

constexpr OperationId kOperations = 6;

// A thread whose fibers call, return, change places and are given up as random numbers say, each on
// a stack of its own; and what became of each call.
class Fibers {
 public:
  struct Call {
    OperationId op = 0;
    uint64_t start_ns = 0, end_ns = 0;  // end 0: it never returned
    size_t entry = 0, exit = 0;         // places in `events`
  };
  std::vector<Event> events;
  std::vector<Call> calls;

  // Stacks of these many KiB, one below the other, without room between them. `watched`: what
  // changes them is seen to be called.
  Fibers(const std::vector<uint64_t>& kilobytes, bool watched) : watched_(watched) {
    uint64_t top = 0x7f00'0000'0000;
    for (const uint64_t size : kilobytes) {
      fibers_.push_back({top, size << 10, {}});
      top -= size << 10;
    }
  }

  void step(uint32_t random) {
    const uint32_t action = random % 16, value = random / 16;
    now_ += 1 + value % 7;
    if (action < 5)
      change(value % fibers_.size());
    else if (action < 11)
      call(OperationId(value % kOperations), value / kOperations);
    else if (action < 15)
      give_back();
    else if (value % 4 == 0)
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
  Fiber& running() { return fibers_[current_]; }

  void change(size_t fiber) {
    const Fiber& left = running();
    const uint64_t sp = (left.frames.empty() ? left.top : left.frames.back().sp) - 40;
    if (watched_ && fiber != current_) events.push_back(transfer(Transfer::kJump, sp, now_));
    current_ = fiber;
  }
  void call(OperationId op, uint32_t value) {
    // Most frames are small; between two observed ones there may be others.
    const uint64_t most = value % 8 == 0 ? 8192 : 400;
    const uint64_t used = 16 + value / 8 * 8 % most;
    Fiber& fiber = running();
    const uint64_t sp = (fiber.frames.empty() ? fiber.top : fiber.frames.back().sp) - used;
    if (sp < fiber.top - fiber.size + 256) return give_back();
    fiber.frames.push_back({sp, calls.size()});
    calls.push_back({op, now_, 0, events.size(), 0});
    events.push_back(in(op, sp, now_));
  }
  void give_back() {
    Fiber& fiber = running();
    if (fiber.frames.empty()) return;
    const Live gone = fiber.frames.back();
    fiber.frames.pop_back();
    Call& call = calls[gone.call];
    call.end_ns = now_;
    call.exit = events.size();
    events.push_back(out(call.op, gone.sp, now_));
  }

  bool watched_;
  std::vector<Fiber> fibers_;
  size_t current_ = 0;
  uint64_t now_ = 1000;
};

Fibers some_fibers() {
  const auto sizes = *rc::gen::resize(
      12, rc::gen::nonEmpty(rc::gen::container<std::vector<uint64_t>>(
              rc::gen::elementOf(std::vector<uint64_t>{16, 32, 64, 64, 64, 128, 1024}))));
  Fibers fibers(sizes, *rc::gen::arbitrary<bool>());
  // Beyond the size of 100 numbers are hardly random any more: nearly all their bits are set.
  const auto number = rc::gen::resize(100, rc::gen::arbitrary<uint32_t>());
  const auto script = *rc::gen::resize(800, rc::gen::container<std::vector<uint32_t>>(number));
  for (const uint32_t random : script) fibers.step(random);
  return fibers;
}

struct Seen {
  explicit Seen(std::span<const Event> events, size_t span = 1)
      : tracer({0, 0, 1, 1, 2, 2}, recorder, Tracer::Stacks::kSwitching) {
    for (size_t at = 0; at < events.size(); at += span)
      tracer.on_events(0, events.subspan(at, std::min(span, events.size() - at)));
    for (const Execution& e : recorder.closed) by_start[e.start_ns] = e;
  }
  // What was seen of a call, or nullptr while it is open. Times are unique.
  const Execution* of(const Fibers::Call& call) const {
    const auto at = by_start.find(call.start_ns);
    return at == by_start.end() ? nullptr : &at->second;
  }
  Recorder recorder;
  Tracer tracer;
  std::map<uint64_t, Execution> by_start;
};

}  // namespace

TEST_CASE("fibers: random ones on adjacent stacks return exactly when they did, others never") {
  CHECK(rc::check("calls equal the truth", [](uint8_t span) {
    const Fibers fibers = some_fibers();
    const Seen seen(fibers.events, 1 + span % 50);
    RC_ASSERT(seen.tracer.ledger().balanced());
    RC_ASSERT(seen.tracer.ledger().orphan_exits == 0u);
    RC_ASSERT(seen.tracer.ledger().entries == fibers.calls.size());
    uint64_t real = 0;
    for (const Execution& e : seen.recorder.closed) real += e.end_ns - e.start_ns - e.nested_ns;
    if (real > 0) RC_ASSERT(real <= fibers.events.back().time_ns - fibers.events.front().time_ns);
    for (const Fibers::Call& call : fibers.calls) {
      const Execution* got = seen.of(call);
      RC_ASSERT((got && got->reason == Closed::kReturned) == (call.end_ns > 0));
      if (call.end_ns == 0) continue;
      RC_ASSERT(got->op == call.op);
      RC_ASSERT(got->end_ns == call.end_ns);
    }
  }));
}

TEST_CASE("fibers: where what changes stacks is watched, each has the time that it ran") {
  constexpr uint64_t kOne = 0x7f00'0001'ff00, kOther = 0x7f00'0000'ff00;
  Recorder recorder;
  Tracer tracer({0, 1}, recorder, Tracer::Stacks::kSwitching);
  tracer.on_events(0,
                   std::vector<Event>{in(0, kOne, 0), transfer(Transfer::kJump, kOne - 50, 10),
                                      in(1, kOther, 12), transfer(Transfer::kJump, kOther - 50, 20),
                                      transfer(Transfer::kJump, kOne - 60, 26), out(1, kOther, 40),
                                      out(0, kOne, 50)});
  CHECK(lines(recorder.closed) ==
        std::vector<Line>{{1, 12, 40, 22, Closed::kReturned}, {0, 0, 50, 26, Closed::kReturned}});
}

TEST_CASE("fibers: seen from any moment on, what began since is exact and the rest are orphans") {
  CHECK(rc::check("calls equal the truth", [](uint16_t cut) {
    const Fibers fibers = some_fibers();
    const size_t from = fibers.events.empty() ? 0 : cut % fibers.events.size();
    const Seen seen(std::span(fibers.events).subspan(from));
    uint64_t orphans = 0;
    for (const Fibers::Call& call : fibers.calls) {
      if (call.entry < from) {
        orphans += call.end_ns > 0 && call.exit >= from;
        continue;
      }
      const Execution* got = seen.of(call);
      RC_ASSERT((got && got->reason == Closed::kReturned) == (call.end_ns > 0));
      if (call.end_ns > 0) RC_ASSERT(got->end_ns == call.end_ns);
    }
    RC_ASSERT(seen.tracer.ledger().orphan_exits == orphans);
    RC_ASSERT(seen.tracer.ledger().balanced());
  }));
}
