// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "recorder.h"

using namespace compmond;
using namespace compmond::trace;
using record::Event;
using record::EventKind;

namespace {

constexpr OperationId A = 0, B = 1, C = 2;
constexpr auto kOk = Closed::kReturned;
constexpr uint64_t kMain = 0x7ffd'0000'0000, kHeap = 0x5555'0000'0000;
constexpr uint64_t kFiber1 = kHeap + 0x10000 - 64, kFiber2 = kFiber1 + 0x10010,
                   kFiber3 = kFiber2 + 0x10010;

struct Run {
  explicit Run(const std::vector<Event>& events, Tracer::Stacks stacks = Tracer::Stacks::kOrdinary)
      : tracer({0, 1, 2}, recorder, stacks) {
    for (const Event& event : events) {
      tracer.on_events(0, {&event, 1});
      CHECK(tracer.ledger().balanced());
    }
  }
  uint64_t closed(Closed reason) const { return tracer.ledger().closed[int(reason)]; }
  Recorder recorder;
  Tracer tracer;
};

}  // namespace

TEST_CASE("tracer: a return like that of a call abandoned is a fiber's, but not after a loss") {
  for (const bool lost : {false, true}) {
    Run run({in(A, kMain, 0), in(B, kMain - 500, 10), in(C, kMain - 400, 20)});  // B: abandoned
    Event loss;
    loss.kind = EventKind::kLoss;
    loss.time_ns = 25;
    if (lost) run.tracer.on_events(0, {&loss, 1});
    const Event back = out(B, kMain - 500, 30);
    run.tracer.on_events(0, {&back, 1});
    CHECK(run.tracer.ledger().orphan_exits == 1);
    CHECK(run.tracer.switches_stacks(0) == !lost);
  }
}

TEST_CASE("tracer: fibers far from the main stack keep their frames while others run") {
  Run run({in(A, kMain, 0), in(B, kFiber1, 10), in(A, kMain - 500, 20), out(A, kMain - 500, 30),
           out(B, kFiber1, 45), out(A, kMain, 60)});
  // The fiber ran on at some time in 30..45: nobody saw when, so the main stack has that time.
  CHECK(lines(run.recorder.closed) ==
        std::vector<Line>{{A, 20, 30, 10, kOk}, {B, 10, 45, 10, kOk}, {A, 0, 60, 40, kOk}});
  CHECK(run.tracer.ledger().orphan_exits == 0);
  CHECK(run.tracer.ledger().stack_switches == 1);
  CHECK(run.tracer.switches_stacks(0));
  CHECK(run.recorder.begun[1].caller == A);
}

TEST_CASE(
    "tracer: fibers on adjacent 64 KiB stacks come out whole where the target is known to switch") {
  // Each fiber: f { g { yield } } three times, resumed in turn; stacks rise or fall in memory.
  for (const bool rising : {true, false}) {
    CAPTURE(rising);
    const uint64_t tops[3] = {rising ? kFiber1 : kFiber3, kFiber2, rising ? kFiber3 : kFiber1};
    std::vector<Event> events{in(C, kMain, 0)};
    uint64_t now = 0;
    for (uint64_t top : tops) {
      events.push_back(in(A, top, ++now));
      events.push_back(in(B, top - 200, ++now));
    }
    for (int round = 0; round < 3; ++round) {
      for (uint64_t top : tops) {
        events.push_back(out(B, top - 200, ++now));
        events.push_back(in(B, top - 200, ++now));
      }
    }
    for (uint64_t top : tops) {
      events.push_back(out(B, top - 200, ++now));
      events.push_back(out(A, top, ++now));
    }
    events.push_back(out(C, kMain, ++now));
    Run run(events, Tracer::Stacks::kSwitching);
    CHECK(run.closed(kOk) == 1 + 3 + 3 * 4);
    CHECK(run.tracer.ledger().entries == run.closed(kOk));
    CHECK(run.tracer.ledger().orphan_exits == 0);
    uint64_t real = 0;
    for (const Execution& e : run.recorder.closed) real += e.end_ns - e.start_ns - e.nested_ns;
    CHECK(real <= now);
  }
}

TEST_CASE(
    "tracer: an exit for a frame thought abandoned proves the switching, and later fibers come out "
    "whole") {
  std::vector<Event> events;
  uint64_t now = 0;
  for (int round = 0; round < 3; ++round) {
    events.push_back(in(A, kFiber1, ++now));
    events.push_back(in(A, kFiber2, ++now));  // looks like a jump out of the first frame
    events.push_back(out(A, kFiber1, ++now));
    events.push_back(out(A, kFiber2, ++now));
  }
  Run run(events);
  CHECK(run.tracer.switches_stacks(0));
  CHECK(run.closed(Closed::kAbandoned) == 1);
  CHECK(run.tracer.ledger().orphan_exits == 1);
  CHECK(run.closed(kOk) == 5);
}

TEST_CASE("tracer: a handler on a signal stack is nested in the frame it interrupted") {
  for (const uint64_t handler : {kHeap, kMain + 0x1000'0000}) {
    CAPTURE(handler);
    Run run({in(A, kMain, 0), in(B, handler, 10), in(C, handler - 100, 12),
             out(C, handler - 100, 15), out(B, handler, 20), in(C, kMain - 300, 30),
             out(C, kMain - 300, 31), out(A, kMain, 40)});
    CHECK(lines(run.recorder.closed) ==
          std::vector<Line>{
              {C, 12, 15, 3, kOk}, {B, 10, 20, 7, kOk}, {C, 30, 31, 1, kOk}, {A, 0, 40, 29, kOk}});
    CHECK(run.recorder.begun[1].caller == A);
    CHECK(run.recorder.begun[1].ess == 1);
    CHECK(run.recorder.begun[2].ess == 2);
    CHECK(run.tracer.ledger().open == 0);
  }
}

TEST_CASE(
    "tracer: siglongjmp out of a signal stack leaves its frames, which close as abandoned at its "
    "next use") {
  const std::vector<Event> events{
      in(A, kMain, 0),         in(B, kHeap, 10),  in(C, kMain - 100, 20),
      out(C, kMain - 100, 25), out(A, kMain, 30), in(A, kMain, 40),
      in(B, kHeap, 50),        out(B, kHeap, 55), out(A, kMain, 60)};
  Run run(events);
  CHECK(run.closed(Closed::kAbandoned) == 1);
  CHECK(run.closed(kOk) == 4);
  CHECK(run.tracer.ledger().open == 0);
  for (const Execution& e : run.recorder.closed) {
    if (e.reason != Closed::kAbandoned) continue;
    CHECK(e.end_ns - e.start_ns - e.nested_ns == 10);  // only while it ran
  }
}

TEST_CASE("tracer: thread exit closes the frames of all stacks of the thread") {
  Run run({in(A, kMain, 0), in(B, kFiber1, 10), in(C, kMain - 100, 20),
           other(EventKind::kThreadExit, 30)});
  CHECK(run.closed(Closed::kThreadExit) == 3);
  CHECK(run.tracer.ledger().open == 0);
}

TEST_CASE("tracer: more stacks than it keeps per thread evict the oldest as lossy") {
  std::vector<Event> events;
  for (uint64_t i = 0; i < 1000; ++i) events.push_back(in(A, kHeap + i * 0x1000'0000, i));
  Run run(events);
  CHECK(run.tracer.ledger().open < 200);
  CHECK(run.tracer.ledger().open + run.closed(Closed::kLossy) == 1000);
  CHECK(run.tracer.ledger().evicted == run.closed(Closed::kLossy));
}

TEST_CASE(
    "tracer: a jump of more than the reach within one stack heals when that depth is used again") {
  const uint64_t deep = kMain - 0x400000;
  Run run({in(A, kMain, 0), in(B, deep, 1), in(C, kMain - 100, 5), out(C, kMain - 100, 6),
           in(C, deep + 64, 7), out(C, deep + 64, 8), out(A, kMain, 9)});
  CHECK(run.tracer.ledger().open == 0);
  CHECK(run.closed(Closed::kAbandoned) == 1);
}
