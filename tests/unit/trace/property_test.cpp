// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "segments.h"
#include "simulator.h"

using namespace compmond;
using namespace compmond::trace;
using record::Event;

namespace {

// Beyond the size of 100 numbers are hardly random any more: nearly all their bits are set.
auto script() {
  return rc::gen::container<std::vector<uint32_t>>(
      rc::gen::resize(100, rc::gen::arbitrary<uint32_t>()));
}

Simulator simulate(const std::vector<uint32_t>& numbers, bool finish,
                   Simulator::Transfers transfers = Simulator::Transfers::kSeen) {
  Simulator simulator(0x7ffd'0000'0000, 1000, transfers);
  for (uint32_t number : numbers) simulator.step(number);
  if (finish) simulator.finish();
  return simulator;
}

bool same(const Execution& a, const Execution& b) {
  return std::tie(a.start_ns, a.end_ns, a.nested_ns, a.trace_id, a.op, a.caller, a.eoi, a.ess,
                  a.reason, a.flags,
                  a.unsure_ns) == std::tie(b.start_ns, b.end_ns, b.nested_ns, b.trace_id, b.op,
                                           b.caller, b.eoi, b.ess, b.reason, b.flags, b.unsure_ns);
}

// What must hold for any events whatever.
bool sane(const std::vector<Event>& events) {
  Recorder recorder;
  Tracer tracer(simulator_components(), recorder, Tracer::Stacks::kOrdinary, Simulator::kOpenExits);
  uint64_t first = UINT64_MAX, last = 0;
  for (const Event& event : events) {
    tracer.on_events(0, {&event, 1});
    if (!tracer.ledger().balanced()) return false;
    first = std::min(first, event.time_ns);
    last = std::max(last, event.time_ns);
  }
  uint64_t real = 0;
  for (const Execution& e : recorder.closed) {
    if (e.end_ns < e.start_ns || e.nested_ns > e.end_ns - e.start_ns) return false;
    if (e.unsure_ns > last - first) return false;
    real += e.end_ns - e.start_ns - e.nested_ns;
  }
  std::vector<OpenExecution> open;
  tracer.open_executions(open);
  for (const OpenExecution& e : open) {
    if (e.nested_ns > last - e.start_ns) return false;
    real += e.own_ns;
  }
  Recorder at_once;
  Tracer other(simulator_components(), at_once, Tracer::Stacks::kOrdinary, Simulator::kOpenExits);
  other.on_events(0, events);
  return open.size() == tracer.ledger().open && (events.empty() || real <= last - first) &&
         !recorder.backwards && at_once.top_ns == recorder.top_ns &&
         std::equal(at_once.closed.begin(), at_once.closed.end(), recorder.closed.begin(),
                    recorder.closed.end(), same) &&
         at_once.begun.size() == recorder.begun.size();
}

}  // namespace

TEST_CASE("tracer: random programs come out exactly as they ran, in whatever spans they come") {
  CHECK(rc::check("executions equal the simulator's", [](uint8_t speed, uint8_t span, bool seen) {
    Simulator simulator =
        simulate(*rc::gen::resize(600, script()), true,
                 seen ? Simulator::Transfers::kSeen : Simulator::Transfers::kUnseen);
    const uint64_t slower = 1 + speed % 4 * 20'000;  // up to some ms between two events
    for (Event& event : simulator.events) event.time_ns *= slower;
    for (Execution& e : simulator.expected)
      e.start_ns *= slower, e.end_ns *= slower, e.nested_ns *= slower, e.unsure_ns *= slower;

    Recorder recorder;
    Tracer tracer(simulator_components(), recorder, Tracer::Stacks::kOrdinary,
                  Simulator::kOpenExits);
    const std::span<const Event> events = simulator.events;
    for (size_t at = 0; at < events.size(); at += 1 + span) {
      tracer.on_events(0, events.subspan(at, std::min<size_t>(1 + span, events.size() - at)));
      std::vector<OpenExecution> open;
      tracer.open_executions(open);
      RC_ASSERT(recorder.begun.size() == recorder.closed.size() + open.size());
    }
    RC_ASSERT(recorder.closed.size() == simulator.expected.size());
    for (size_t i = 0; i < simulator.expected.size(); ++i)
      RC_ASSERT(same(recorder.closed[i], simulator.expected[i]));
    Recorder expected;
    for (const Segment& segment : segments(simulator.expected))
      expected.on_top(segment.op, segment.from, segment.to);
    RC_ASSERT(recorder.top_ns == expected.top_ns);
    RC_ASSERT(recorder.together);
    RC_ASSERT(tracer.ledger().entries == simulator.entries);
    RC_ASSERT(tracer.ledger().orphan_exits == 0u);
    RC_ASSERT(tracer.ledger().open == 0u);
    RC_ASSERT(!tracer.switches_stacks(0));
  }));
}

TEST_CASE(
    "tracer: a child forked anywhere has orphans for what it inherited, its own calls exactly") {
  CHECK(rc::check("executions equal the simulator's", [] {
    Simulator child = simulate(*rc::gen::resize(200, script()), false).fork();
    for (const uint32_t number : *rc::gen::resize(600, script())) child.step(number);
    child.finish();
    Recorder recorder;
    Tracer tracer(simulator_components(), recorder, Tracer::Stacks::kOrdinary,
                  Simulator::kOpenExits);
    tracer.on_events(0, child.events);
    RC_ASSERT(tracer.ledger().orphan_exits == child.orphans);
    RC_ASSERT(tracer.ledger().entries == child.entries);
    RC_ASSERT(recorder.closed.size() == child.expected.size());
    for (size_t i = 0; i < child.expected.size(); ++i)
      RC_ASSERT(same(recorder.closed[i], child.expected[i]));
  }));
}

TEST_CASE("tracer: a deep random program meets the limit of return probes as the simulator does") {
  Simulator simulator(0x7ffd'0000'0000);
  for (uint32_t i = 0; i < 3000; ++i)
    simulator.step(i % 11 == 10 ? 14 : i % 3 == 2 ? 6 : 16 * (50 * (i % 14) + i % 7));
  simulator.finish();
  Recorder recorder;
  Tracer tracer(simulator_components(), recorder, Tracer::Stacks::kOrdinary, Simulator::kOpenExits);
  tracer.on_events(0, simulator.events);
  REQUIRE(recorder.closed.size() == simulator.expected.size());
  bool truncated = false;
  for (size_t i = 0; i < simulator.expected.size(); ++i) {
    CHECK(same(recorder.closed[i], simulator.expected[i]));
    truncated |= (simulator.expected[i].flags & kTruncated) != 0;
  }
  CHECK(truncated);
}

TEST_CASE(
    "tracer: a log with any one record deleted, doubled, swapped, moved in time or cut off stays "
    "sane") {
  CHECK(rc::check("damage", [] {
    const std::vector<Event> whole = simulate(*rc::gen::resize(60, script()), false).events;
    for (size_t i = 0; i < whole.size(); ++i) {
      std::vector<Event> damaged = whole;
      damaged.erase(damaged.begin() + ptrdiff_t(i));
      RC_ASSERT(sane(damaged));
      damaged = whole;
      damaged.insert(damaged.begin() + ptrdiff_t(i), whole[i]);
      RC_ASSERT(sane(damaged));
      damaged = whole;
      std::swap(damaged[i], damaged[(i + 1) % whole.size()]);
      RC_ASSERT(sane(damaged));
      damaged = whole;
      damaged[i].time_ns ^= 0x100;
      RC_ASSERT(sane(damaged));
      damaged.resize(i);
      RC_ASSERT(sane(damaged));
    }
  }));
}

TEST_CASE("tracer: events of random operations, stack pointers and times stay sane") {
  CHECK(rc::check("noise",
                  [](const std::vector<std::tuple<uint8_t, uint16_t, uint8_t, uint8_t>>& noise) {
                    std::vector<Event> events;
                    for (const auto& [op, sp, time, kind] : noise) {
                      // Kinds exit and entry mostly; sp near, and far in some.
                      const uint64_t far = sp % 5 == 0 ? uint64_t(sp % 7) << 32 : 0;
                      Event event = kind % 2 ? in(op % 16, far + sp % 64 * 8, time, kind / 2 % 8)
                                             : out(op % 16, far + sp % 64 * 8, time);
                      if (kind > 250) event.kind = record::EventKind(kind % 7);
                      if (kind > 230 && kind <= 250)
                        event = transfer(Transfer(kind % 3), event.sp, time);
                      events.push_back(event);
                      // By contract the last of its thread.
                      if (event.kind == record::EventKind::kThreadExit) break;
                    }
                    RC_ASSERT(sane(events));
                  }));
}
