// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "core/limits.h"
#include "recorder.h"

using namespace compmond;
using namespace compmond::trace;
using record::Event;
using record::EventKind;

namespace {

constexpr OperationId A = 0, B = 1, C = 2, D = 3;
constexpr auto kOk = Closed::kReturned;
constexpr auto kGone = Closed::kAbandoned;

// One thread's events through a tracer; A and B belong to component 0, C to 1, D to 2.
struct Run {
  explicit Run(const std::vector<Event>& events, uint32_t open_exits = UINT32_MAX)
      : tracer({0, 0, 1, 2}, recorder, Tracer::Stacks::kOrdinary, open_exits) {
    feed(events);
  }
  void feed(const std::vector<Event>& events) {
    for (const Event& event : events) {
      tracer.on_events(0, {&event, 1});
      CHECK(tracer.ledger().balanced());
    }
  }
  std::vector<Line> closed() const { return lines(recorder.closed); }
  std::vector<OpenExecution> open() const {
    std::vector<OpenExecution> result;
    tracer.open_executions(result);
    return result;
  }
  const Ledger& ledger() const { return tracer.ledger(); }

  Recorder recorder;
  Tracer tracer;
};

struct Case {
  const char* name;
  std::vector<Event> events;
  std::vector<Line> closed;
  uint64_t open = 0;
  uint64_t orphans = 0;
};

const std::vector<Case> kCases = {
    {"nested calls",
     {in(A, 900, 10), in(B, 800, 20), out(B, 800, 50), out(A, 900, 60)},
     {{B, 20, 50, 30, kOk}, {A, 10, 60, 20, kOk}}},
    {"recursion",
     {in(A, 900, 0), in(A, 800, 1), in(A, 700, 2), out(A, 700, 4), out(A, 800, 7), out(A, 900, 11)},
     {{A, 2, 4, 2, kOk}, {A, 1, 7, 4, kOk}, {A, 0, 11, 5, kOk}}},
    {"longjmp to a frame that then calls",
     {in(A, 900, 0), in(B, 800, 1), in(C, 700, 2), in(D, 800, 10), out(D, 800, 12),
      out(A, 900, 13)},
     {{C, 2, 10, 8, kGone}, {B, 1, 10, 1, kGone}, {D, 10, 12, 2, kOk}, {A, 0, 13, 2, kOk}}},
    {"longjmp to a frame that then returns",
     {in(A, 900, 0), in(B, 800, 1), in(C, 700, 2), out(A, 900, 10)},
     {{C, 2, 10, 8, kGone}, {B, 1, 10, 1, kGone}, {A, 0, 10, 1, kOk}}},
    {"exception caught in the middle",
     {in(A, 900, 0), in(B, 800, 1), in(C, 700, 2), out(B, 800, 10), out(A, 900, 12)},
     {{C, 2, 10, 8, kGone}, {B, 1, 10, 1, kOk}, {A, 0, 12, 3, kOk}}},
    {"exception out of every frame, then a call from above",
     {in(B, 800, 1), in(C, 700, 2), in(A, 900, 5), out(A, 900, 6)},
     {{C, 2, 5, 3, kGone}, {B, 1, 5, 1, kGone}, {A, 5, 6, 1, kOk}}},
    {"a call at the same sp means that the frame there is dead",
     {in(A, 900, 0), in(B, 900, 5), out(B, 900, 6)},
     {{A, 0, 5, 5, kGone}, {B, 5, 6, 1, kOk}}},
    {"tail call, returns innermost first",
     {in(A, 900, 0), in(B, 900, 5, record::kTailCall), out(B, 900, 8), out(A, 900, 9)},
     {{B, 5, 8, 3, kOk}, {A, 0, 9, 6, kOk}}},
    {"mutual tail calls at one sp",
     {in(A, 900, 0), in(B, 900, 2, record::kTailCall), in(A, 900, 4, record::kTailCall),
      out(A, 900, 7), out(B, 900, 8), out(A, 900, 9)},
     {{A, 4, 7, 3, kOk}, {B, 2, 8, 3, kOk}, {A, 0, 9, 3, kOk}}},
    {"a return of an outer tail caller closes those above it",
     {in(A, 900, 0), in(B, 900, 2, record::kTailCall), in(C, 900, 4, record::kTailCall),
      out(A, 900, 7)},
     {{C, 4, 7, 3, kGone}, {B, 2, 7, 2, kGone}, {A, 0, 7, 2, kOk}}},
    {"tail jump seen at the jump itself",
     {in(A, 900, 0), out(A, 900, 5), in(B, 900, 5), out(B, 900, 8)},
     {{A, 0, 5, 5, kOk}, {B, 5, 8, 3, kOk}}},
    {"a child forked inside a call returns without entry",
     {out(B, 800, 5), out(A, 900, 6), in(C, 900, 7)},
     {},
     1,
     2},
    {"attached in the middle of calls",
     {out(B, 800, 1), in(C, 800, 2), out(C, 800, 3), out(A, 900, 4)},
     {{C, 2, 3, 1, kOk}},
     0,
     2},
    {"an exit of another operation at the same sp is an orphan",
     {in(A, 900, 0), out(B, 900, 1), out(A, 900, 2)},
     {{A, 0, 2, 2, kOk}},
     0,
     1},
    {"an orphan exit still tells that deeper frames are dead",
     {in(A, 900, 0), in(B, 800, 1), out(C, 850, 4), out(A, 900, 6)},
     {{B, 1, 4, 3, kGone}, {A, 0, 6, 3, kOk}},
     0,
     1},
    {"exec inside",
     {in(A, 900, 0), in(B, 800, 1), other(EventKind::kExec, 4), in(C, 500, 6)},
     {{B, 1, 4, 3, Closed::kExec}, {A, 0, 4, 1, Closed::kExec}},
     1},
    {"thread exit inside",
     {in(A, 900, 0), in(B, 800, 1), other(EventKind::kThreadExit, 4, 1)},
     {{B, 1, 4, 3, Closed::kThreadExit}, {A, 0, 4, 1, Closed::kThreadExit}}},
    {"loss in the middle",
     {in(A, 900, 0), in(B, 800, 1), other(EventKind::kLoss, 4, 7), out(A, 900, 9), in(C, 900, 10)},
     {{B, 1, 4, 3, Closed::kLossy}, {A, 0, 4, 1, Closed::kLossy}},
     1,
     1},
    {"fork and switch leave the frames alone",
     {in(A, 900, 0), other(EventKind::kFork, 2, 77), other(EventKind::kSwitch, 3), out(A, 900, 4)},
     {{A, 0, 4, 4, kOk}}},
    {"an entry-only call closes at once and takes no time",
     {in(A, 900, 0), in(B, 800, 3, record::kEntryOnly), out(A, 900, 9)},
     {{B, 3, 3, 0, kOk}, {A, 0, 9, 9, kOk}}},
    {"an entry-only call tells that deeper frames are dead",
     {in(A, 900, 0), in(B, 800, 1), in(C, 850, 4, record::kEntryOnly), out(A, 900, 9)},
     {{B, 1, 4, 3, kGone}, {C, 4, 4, 0, kOk}, {A, 0, 9, 6, kOk}}},
    {"time that runs backwards is clamped",
     {in(A, 900, 10), in(B, 800, 5), out(B, 800, 8), out(A, 900, 20)},
     {{B, 10, 10, 0, kOk}, {A, 10, 20, 10, kOk}}},
};

}  // namespace

TEST_CASE("tracer: each hazard closes the frames it should, with the times it should") {
  for (const Case& c : kCases) {
    CAPTURE(c.name);
    Run run(c.events);
    CHECK(run.closed() == c.closed);
    CHECK(run.ledger().open == c.open);
    CHECK(run.ledger().orphan_exits == c.orphans);
    CHECK(run.open().size() == c.open);
    CHECK_FALSE(run.recorder.backwards);
    CHECK_FALSE(run.tracer.switches_stacks(0));
  }
}

TEST_CASE("tracer: clamped times, lost records and invalid operations are counted") {
  Run run({in(A, 900, 10), in(B, 800, 5), out(B, 800, 8), other(EventKind::kLoss, 12, 7),
           in(99, 900, 13), out(99, 9, 14)});
  CHECK(run.ledger().clamped == 2);
  CHECK(run.ledger().lost_records == 7);
  CHECK(run.ledger().invalid == 2);
  CHECK(run.ledger().entries == 2);
}

TEST_CASE("tracer: caller, eoi, ess and trace id number the executions of a trace") {
  Run run({in(A, 900, 0), in(B, 800, 1), out(B, 800, 2), in(C, 800, 3, record::kEntryOnly),
           in(D, 800, 4), in(A, 700, 5), out(A, 700, 6), out(D, 800, 7), out(A, 900, 8),
           in(B, 900, 9), out(B, 900, 10)});
  const std::vector<Begun>& begun = run.recorder.begun;
  REQUIRE(begun.size() == 6);
  const std::vector<std::tuple<OperationId, uint32_t, uint16_t>> expected = {
      {kNoOperation, 0, 0}, {A, 1, 1}, {A, 2, 1}, {A, 3, 1}, {D, 4, 2}, {kNoOperation, 0, 0}};
  for (size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    CHECK(std::tuple(begun[i].caller, begun[i].eoi, begun[i].ess) == expected[i]);
    CHECK(begun[i].trace_id == begun[i < 5 ? 0 : 5].trace_id);
  }
  CHECK(begun[5].trace_id != begun[0].trace_id);
}

TEST_CASE(
    "tracer: when probes go away everything open is closed as lossy, and what comes later starts "
    "anew") {
  Run run({in(A, 900, 0), in(B, 800, 10)});
  run.tracer.close_all(25);
  CHECK(run.open().empty());
  CHECK(run.ledger().closed[int(Closed::kLossy)] == 2);
  CHECK(run.ledger().balanced());
  CHECK(lines(run.recorder.closed) ==
        std::vector<Line>{{B, 10, 25, 15, Closed::kLossy}, {A, 0, 25, 10, Closed::kLossy}});
  run.feed({out(B, 800, 30), in(C, 700, 40), out(C, 700, 45)});
  CHECK(run.ledger().orphan_exits == 1);
  CHECK(lines(run.recorder.closed).back() == Line{C, 40, 45, 5, Closed::kReturned});
}

TEST_CASE("tracer: only the outermost frame of an operation and of a component is marked so") {
  Run run({in(A, 900, 0), in(B, 800, 1), in(C, 700, 2), in(A, 600, 3), in(D, 500, 4)});
  std::vector<int> flags;
  for (const OpenExecution& e : run.open()) flags.push_back(e.flags);
  CHECK(flags == std::vector<int>{3, kOutermostOfOperation, 3, 0, 3});
  run.feed({out(A, 900, 9), in(B, 900, 10)});
  CHECK(run.open().at(0).flags == 3);
}

TEST_CASE("tracer: no return is truncated where any number can be awaited") {
  std::vector<Event> events;
  for (uint64_t i = 0; i < 100; ++i)
    events.push_back(in(A, 90'000 - 100 * i, i, record::kLimitedExit));
  for (uint64_t i = 100; i-- > 0;) events.push_back(out(A, 90'000 - 100 * i, 200 - i));
  Run run(events);
  CHECK(run.ledger().closed[int(kOk)] == 100);
  for (const Execution& e : run.recorder.closed) CHECK((e.flags & kTruncated) == 0);
}

TEST_CASE(
    "tracer: the 65th and later nested return probes are truncated, closed as abandoned by the "
    "64th's return") {
  for (int depth : {63, 64, 65, 100, 5000}) {
    CAPTURE(depth);
    std::vector<Event> events;
    const auto sp = [](int level) { return uint64_t(10'000'000 - 100 * level); };
    for (int i = 0; i < depth; ++i)
      events.push_back(in(A, sp(i), uint64_t(i), record::kLimitedExit));
    for (int i = std::min(depth, 64) - 1; i >= 0; --i)
      events.push_back(out(A, sp(i), uint64_t(2 * depth - i)));
    Run run(events, 64);
    const auto over = uint64_t(std::max(0, depth - 64));
    CHECK(run.ledger().closed[int(kOk)] == uint64_t(std::min(depth, 64)));
    CHECK(run.ledger().closed[int(kGone)] == over);
    uint64_t truncated = 0;
    for (const Execution& e : run.recorder.closed) {
      truncated += (e.flags & kTruncated) != 0;
      CHECK(((e.flags & kTruncated) != 0) == (e.reason == kGone));
    }
    CHECK(truncated == over);
    CHECK(run.ledger().open == 0);
  }
}

TEST_CASE(
    "tracer: beyond the limit of frames the oldest is evicted as lossy and its exit is an orphan") {
  const size_t limit = limits::kStackFrames, extra = 5000;
  std::vector<Event> events;
  const auto sp = [](size_t level) { return 100'000'000 - 16 * level; };
  for (size_t i = 0; i < limit + extra; ++i) events.push_back(in(A, sp(i), i));
  Recorder recorder;
  Tracer tracer({0}, recorder);
  tracer.on_events(0, events);
  CHECK(tracer.ledger().evicted == extra);
  CHECK(tracer.ledger().closed[int(Closed::kLossy)] == extra);
  CHECK(tracer.ledger().open == limit);
  CHECK(recorder.closed.front().start_ns == 0);
  events.clear();
  for (size_t i = limit + extra; i-- > 0;) events.push_back(out(A, sp(i), 2 * (limit + extra) - i));
  tracer.on_events(0, events);
  CHECK(tracer.ledger().balanced());
  CHECK(tracer.ledger().open == 0);
  CHECK(tracer.ledger().closed[int(kOk)] == limit);
  CHECK(tracer.ledger().orphan_exits == extra);
}

TEST_CASE("tracer: open executions of all threads together are bounded") {
  struct : ExecutionSink {
    void on_begin(const Begun&) override {}
    void on_top(OperationId, uint64_t, uint64_t) override {}
    void on_closed(const Execution& e) override { lossy += e.reason == Closed::kLossy; }
    void on_whole(const Execution&) override {}
    uint64_t lossy = 0;
  } sink;
  Tracer tracer({0}, sink);
  std::vector<Event> events;
  for (size_t i = 0; i < limits::kStackFrames; ++i) events.push_back(in(A, (1u << 30) - 16 * i, i));
  const size_t threads = 2 * limits::kOpenExecutions / events.size();
  for (ThreadId thread = 0; thread < threads; ++thread) tracer.on_events(thread, events);
  // Each thread has its newest one all the same.
  CHECK(tracer.ledger().open <= limits::kOpenExecutions + threads);
  CHECK(tracer.ledger().open >= limits::kOpenExecutions);
  CHECK(tracer.ledger().evicted == sink.lossy);
  tracer.close_all(limits::kStackFrames);
  CHECK(tracer.ledger().balanced());
}

TEST_CASE("tracer: open executions tell what their real time is up to now") {
  Run run({in(A, 900, 10), in(B, 800, 20), out(B, 800, 50), in(C, 800, 60),
           other(EventKind::kSwitch, 70), in(D, 700, 80)});
  const auto open = run.open();
  REQUIRE(open.size() == 3);
  CHECK(std::tuple(open[0].own_ns, open[0].nested_ns, open[0].on_top) ==
        std::tuple(20u, 30u, false));
  CHECK(std::tuple(open[1].own_ns, open[1].nested_ns, open[1].on_top) ==
        std::tuple(20u, 0u, false));
  CHECK(std::tuple(open[2].own_ns, open[2].on_top, open[2].on_top_since_ns) ==
        std::tuple(0u, true, 80u));
}

TEST_CASE("tracer: of a thread that executed another program nothing is kept") {
  Recorder recorder;
  Tracer tracer({0}, recorder);
  Event exec = other(EventKind::kExec, 30);
  tracer.on_events(3, std::vector<Event>{in(A, 900, 10), exec});
  CHECK(lines(recorder.closed) == std::vector<Line>{{A, 10, 30, 20, Closed::kExec}});
  CHECK(tracer.latest_ns(3) == 0);
  exec.arg = 1;  // the first of what it goes on as
  tracer.on_events(4, std::vector<Event>{exec, in(A, 900, 40)});
  CHECK(tracer.latest_ns(4) == 40);
}

TEST_CASE("tracer: threads do not mix, and an ended thread leaves nothing behind") {
  Recorder recorder;
  Tracer tracer({0, 0}, recorder);
  const std::vector<Event> first{in(A, 900, 10)}, second{in(B, 900, 5)},
      end{other(EventKind::kThreadExit, 30)};
  tracer.on_events(3, first);
  tracer.on_events(70'000, second);
  tracer.on_events(3, end);
  CHECK(lines(recorder.closed) == std::vector<Line>{{A, 10, 30, 20, Closed::kThreadExit}});
  std::vector<OpenExecution> open;
  tracer.open_executions(open);
  REQUIRE(open.size() == 1);
  CHECK(open[0].thread == 70'000);
  CHECK(recorder.begun[0].trace_id != recorder.begun[1].trace_id);
}
