// SPDX-License-Identifier: Apache-2.0
#include "rings/ring_reader.h"

#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace compmond;
using namespace compmond::inprocess;
using record::Event;
using record::EventKind;

namespace {

constexpr uint64_t kTick = 2;  // ns of one
uint64_t ticks = 1'000'000;

constexpr uint8_t kTrace =
    record::context_flags(record::ContextKind::kTraceId, record::ContextType::kInteger);
constexpr uint8_t kSession =
    record::context_flags(record::ContextKind::kSessionId, record::ContextType::kInt32);
constexpr uint64_t kTraceOf8 = 3, kSessionOf8 = 4, kEntryOf8 = 5;  // sites

TickClock::Look look() { return {ticks, kTick * ticks}; }

struct Kept : record::EventSink {
  void on_thread(record::ThreadId thread, const record::ThreadInfo& info) override {
    threads[thread] = info;
  }
  void on_events(record::ThreadId thread, std::span<const Event> of) override {
    for (const Event& event : of) {
      events.push_back(event);
      of_thread.push_back(thread);
    }
  }
  std::map<record::ThreadId, record::ThreadInfo> threads;
  std::vector<Event> events;
  std::vector<record::ThreadId> of_thread;
};

// What patched code does, and who is there.
struct Scene {
  explicit Scene(SharedLayout asked = {.threads = 4, .ring = 256}) : layout(asked) {
    for (size_t i = 0; i < layout.slots(); ++i) slot(i).limit = layout.ring - kRingReserve;
    const std::vector<SiteEvent> sites = {{7, EventKind::kEntry, 0, 8},
                                          {7, EventKind::kExit, record::kCheapExit, 0},
                                          {8, EventKind::kContext, kTrace, 0},
                                          {8, EventKind::kContext, kSession, 0},
                                          {8, EventKind::kEntry, 0, 0}};
    reader.add_sites(sites);
    ticks += 10;
    reader.drain(kept);
  }
  Recording& shared() { return *reinterpret_cast<Recording*>(memory.data()); }
  ThreadRecords& slot(size_t i) {
    return *reinterpret_cast<ThreadRecords*>(memory.data() + layout.slot(i));
  }
  Record& place(size_t i, uint64_t number) {
    return reinterpret_cast<Record*>(memory.data() + layout.ring_of(i))[number % layout.ring];
  }
  // As recorder.S; false: no room.
  bool record(size_t i, uint32_t tid, uint64_t site, uint64_t sp = 0x1000) {
    ThreadRecords& to = slot(i);
    if (std::exchange(to.tid, tid) == 0) ++shared().claims;
    if (to.begun >= to.limit) {
      ++to.dropped;
      return false;
    }
    place(i, to.begun++) = {++ticks, sp, site};
    return true;
  }
  void drain() {
    ticks += 100;
    kept.events.clear();
    kept.of_thread.clear();
    reader.drain(kept);
  }
  void pass(uint64_t ns) { ticks += ns / kTick + 1; }

  SharedLayout layout;
  std::vector<std::byte> memory = std::vector<std::byte>(layout.size());
  std::function<void()> meanwhile;  // once, after it has looked how much there is
  int questions = 0;                // that somebody answered to
  std::map<uint32_t, record::ThreadInfo> alive = {
      {5, {.pid = 4, .tid = 5, .start_ns = 77, .name = "five"}}};
  RingReader reader{{.memory = memory,
                     .layout = layout,
                     .who = [this](uint32_t tid) -> std::optional<record::ThreadInfo> {
                       if (meanwhile) std::exchange(meanwhile, {})();
                       const auto found = alive.find(tid);
                       if (found == alive.end()) return std::nullopt;
                       ++questions;
                       return found->second;
                     },
                     .any = [this](uint32_t tid) { return alive.contains(tid); },
                     .look = look}};
  Kept kept;
};

}  // namespace

TEST_CASE("rings: a record is an event of its thread, with time, operation and stack pointer") {
  Scene scene;
  scene.record(2, 5, 1, 0x1000);
  const uint64_t entered = ticks;
  scene.record(2, 5, 2, 0x1008);
  scene.drain();
  REQUIRE(scene.kept.events.size() == 2);
  CHECK(scene.kept.threads.at(scene.kept.of_thread[0]).name == "five");
  const Event &entry = scene.kept.events[0], &exit = scene.kept.events[1];
  CHECK((entry.kind == EventKind::kEntry && entry.op == 7 && entry.sp == 0x1008));
  CHECK((exit.kind == EventKind::kExit && exit.op == 7 && exit.sp == 0x1008));
  CHECK(exit.flags == record::kCheapExit);
  CHECK(entry.time_ns == kTick * entered);
  CHECK(exit.time_ns == kTick * (entered + 1));
  CHECK(scene.reader.now_ns() > exit.time_ns);
  scene.drain();
  CHECK(scene.kept.events.empty());
  CHECK(scene.reader.ledger().hits == 2);
  CHECK(scene.reader.ledger().balanced());
}

TEST_CASE("rings: what arguments say comes right before the entry of their call") {
  Scene scene;
  scene.record(0, 5, kTraceOf8, 11);
  scene.record(0, 5, kSessionOf8, 0xdead'0000'0000 + uint32_t(-7));
  scene.record(0, 5, kTraceOf8, 21);  // a signal handler's
  scene.drain();
  CHECK(scene.kept.events.empty());
  CHECK(scene.reader.ledger().pending == 3);
  scene.record(0, 5, 1);
  scene.record(0, 5, kSessionOf8, 22);
  scene.record(0, 5, kEntryOf8);
  scene.record(0, 5, kEntryOf8);
  scene.drain();
  std::vector<std::string> told;
  for (const Event& event : scene.kept.events) {
    const bool context = event.kind == EventKind::kContext;
    told.push_back(context ? (event.flags == kTrace ? "trace " : "session ") +
                                 std::to_string(int64_t(event.arg))
                           : std::to_string(event.op));
  }
  CHECK(told == std::vector<std::string>{"7", "trace 21", "session 22", "8", "trace 11",
                                         "session -7", "8"});
  CHECK(std::ranges::is_sorted(scene.kept.events, {}, &Event::time_ns));
  CHECK(scene.reader.ledger().balanced());
}

TEST_CASE("rings: what arguments say is lost with the entry of their call") {
  Scene scene;
  for (uint64_t i = 0; i < 256 - kRingReserve - 1; ++i) CHECK(scene.record(0, 5, 1));
  CHECK(scene.record(0, 5, kTraceOf8, 11));
  CHECK_FALSE(scene.record(0, 5, kEntryOf8));
  scene.drain();
  CHECK(scene.kept.events.back().kind == EventKind::kLoss);
  CHECK(scene.kept.events.back().arg == 2);
  scene.record(0, 5, kEntryOf8);
  scene.drain();
  CHECK(scene.kept.events.size() == 1);
  CHECK(scene.reader.ledger().balanced());
}

TEST_CASE("rings: a value whose entry does not come is lost, and told") {
  Scene scene;
  scene.record(0, 5, kTraceOf8, 11);
  scene.drain();
  CHECK(scene.reader.ledger().pending == 1);
  scene.pass(RingReader::kIdleNs);
  scene.drain();
  CHECK(scene.reader.ledger().pending == 1);
  scene.pass(RingReader::kStuckNs);
  scene.drain();
  REQUIRE(scene.kept.events.size() == 1);
  CHECK((scene.kept.events[0].kind == EventKind::kLoss && scene.kept.events[0].arg == 1));
  CHECK(scene.reader.ledger().balanced());
}

TEST_CASE("rings: what finds no room right after a look is lost where it was") {
  for (const uint64_t again : {0, 1, 5}) {
    Scene scene;
    const auto fill = [&](uint64_t lost) {
      while (scene.record(0, 5, 1)) {
      }
      for (uint64_t i = 1; i < lost; ++i) CHECK_FALSE(scene.record(0, 5, 1));
    };
    scene.record(0, 5, 1);
    scene.meanwhile = [&] { fill(3); };
    scene.drain();
    CHECK(scene.kept.events.size() == 1);
    scene.record(0, 5, 2);
    if (again > 0) fill(again);
    scene.drain();
    const auto& events = scene.kept.events;
    const auto exit = std::ranges::find(events, EventKind::kExit, &Event::kind);
    REQUIRE(exit != events.end());
    CHECK((exit - 1)->kind == EventKind::kLoss);
    CHECK((exit - 2)->kind == EventKind::kEntry);
    uint64_t told = 0;
    for (const Event& event : events)
      if (event.kind == EventKind::kLoss) told += event.arg;
    CHECK(told == 3 + again);
    CHECK((events.back().kind == EventKind::kLoss) == (again > 0));
    CHECK(std::ranges::is_sorted(events, {}, &Event::time_ns));
    CHECK(scene.reader.ledger().balanced());
  }
}

TEST_CASE("rings: what finds no room is lost, as often as it is, and behind what did") {
  Scene scene;
  uint64_t made = 0, kept = 0, lost = 0;
  for (int round = 0; round < 20; ++round) {
    const int calls = 37 * round;
    for (int i = 0; i < calls; ++i) made += scene.record(0, 5, 1);
    scene.drain();
    bool after_loss = false;
    for (const Event& event : scene.kept.events) {
      CHECK_FALSE(after_loss);
      after_loss = event.kind == EventKind::kLoss;
      if (after_loss && calls > 0) CHECK(event.time_ns == (&event - 1)->time_ns);
      (after_loss ? lost : kept) += after_loss ? event.arg : 1;
    }
  }
  CHECK(kept == made);
  CHECK(lost == scene.slot(0).dropped);
  CHECK(lost > 1000);
  CHECK(scene.reader.ledger().lost_ring == lost);
  CHECK(scene.reader.ledger().balanced());
}

TEST_CASE("rings: a record that is not made yet holds up what follows, and not for ever") {
  Scene scene;
  scene.record(0, 5, 1);
  scene.record(0, 5, 0);
  scene.record(0, 5, 2);
  scene.drain();
  CHECK(scene.kept.events.size() == 1);
  CHECK(scene.reader.ledger().pending == 2);
  CHECK(scene.reader.ledger().balanced());
  const uint64_t now = scene.reader.now_ns();
  CHECK(now < kTick * scene.place(0, 1).ticks);
  scene.drain();
  CHECK(scene.reader.now_ns() == now);

  scene.place(0, 1).site = 1;
  scene.drain();
  CHECK(scene.kept.events.size() == 2);
  CHECK(scene.reader.now_ns() > now);

  scene.record(0, 5, 0);
  scene.record(0, 5, 2);
  scene.drain();
  CHECK(scene.kept.events.empty());
  scene.pass(RingReader::kStuckNs);
  scene.drain();
  REQUIRE(scene.kept.events.size() == 2);
  CHECK((scene.kept.events[0].kind == EventKind::kLoss && scene.kept.events[0].arg == 1));
  CHECK(scene.kept.events[1].kind == EventKind::kExit);
  CHECK(scene.reader.ledger().balanced());
}

TEST_CASE("rings: a record that a thread began and did not make before it ended holds up nothing") {
  Scene scene;
  scene.record(0, 5, 1);
  scene.drain();
  scene.record(0, 5, 0);
  scene.record(0, 5, 2);
  scene.alive.erase(5);
  scene.drain();
  REQUIRE(scene.kept.events.size() == 2);
  CHECK(scene.kept.events[0].kind == EventKind::kLoss);
  CHECK(scene.kept.events[1].kind == EventKind::kExit);
  CHECK(scene.reader.ledger().pending == 0);
  CHECK(scene.reader.ledger().balanced());
}

TEST_CASE(
    "rings: what a thread that ended had is free again, and another one of its number is not it") {
  Scene scene;
  scene.alive[6] = {.pid = 4, .tid = 6, .start_ns = 80, .name = "six"};
  scene.record(0, 5, 1);
  scene.record(1, 6, 1);
  scene.drain();
  scene.alive.erase(5);
  scene.alive[6].start_ns = 90;
  scene.pass(RingReader::kIdleNs);
  scene.drain();
  CHECK(scene.slot(0).tid == 0);
  CHECK(scene.slot(1).tid == 6);
  scene.alive[8] = {.pid = 4, .tid = 8, .start_ns = 95, .name = "eight"};
  scene.record(0, 8, 1);
  scene.record(1, 6, 1);
  scene.drain();
  REQUIRE(scene.kept.events.size() == 2);
  CHECK(scene.kept.threads.at(scene.kept.of_thread[0]).name == "eight");
  CHECK(scene.kept.threads.at(scene.kept.of_thread[1]).start_ns == 90);
  CHECK(scene.kept.threads.size() == 4);
}

TEST_CASE("rings: places of many that ended at once are free at once, whoever else is there") {
  Scene scene({.threads = 128, .ring = 256});
  for (uint32_t i = 0; i < 100; ++i) {
    scene.alive[100 + i] = {.pid = 4, .tid = 100 + i, .start_ns = 80, .name = "one"};
    scene.record(i, 100 + i, 1);
  }
  scene.drain();
  for (uint32_t i = 20; i < 100; ++i) scene.alive.erase(100 + i);
  const int before = scene.questions;
  scene.pass(RingReader::kScarceNs);
  scene.drain();
  for (uint32_t i = 0; i < 100; ++i) CHECK((scene.slot(i).tid == 0) == (i >= 20));
  CHECK(scene.questions - before < 20);  // of those that are there not all at once
}

TEST_CASE("rings: one that begins and ends between two looks is told without a name") {
  Scene scene;
  scene.record(3, 99, 1);
  scene.drain();
  REQUIRE(scene.kept.events.size() == 1);
  CHECK(scene.kept.threads.at(scene.kept.of_thread[0]).tid == 99);
}

TEST_CASE("rings: of one that is gone when it is met all is read, also what came after the look") {
  Scene scene;
  scene.record(3, 99, 1);
  scene.meanwhile = [&] { scene.record(3, 99, 2); };
  scene.drain();
  REQUIRE(scene.kept.events.size() == 2);
  CHECK(scene.kept.events[1].kind == EventKind::kExit);
}

TEST_CASE("rings: a thread whose claim was not counted is found after a while") {
  Scene scene;
  scene.record(1, 5, 1);
  scene.shared().claims = 0;
  scene.drain();
  CHECK(scene.kept.events.empty());
  scene.pass(RingReader::kLookNs);
  scene.drain();
  CHECK(scene.kept.events.size() == 1);
  scene.record(2, 6, 1);
  scene.drain();
  CHECK(scene.kept.events.size() == 1);
  CHECK(scene.reader.ledger().balanced());
}

TEST_CASE("rings: threads that found no place are counted") {
  Scene scene;
  scene.shared().without = 12;
  scene.drain();
  CHECK(scene.reader.ledger().lost_slots == 12);
  CHECK(scene.reader.ledger().balanced());
}

TEST_CASE("rings: whatever the memory says, nothing breaks, and what cannot be is no call") {
  Scene scene;
  scene.record(0, 5, 6);
  scene.record(0, 5, UINT64_MAX);
  scene.slot(0).ring = UINT64_MAX;
  scene.drain();
  REQUIRE(scene.kept.events.size() == 2);
  for (const Event& event : scene.kept.events) CHECK(event.kind == EventKind::kUnknown);
  scene.slot(0).begun = UINT64_MAX;
  scene.record(1, 6, 1);
  scene.drain();
  REQUIRE(scene.kept.events.size() == 2);
  CHECK(scene.kept.events[0].kind == EventKind::kLoss);  // of nobody knows how much
  CHECK(scene.reader.broken() == 1);
  scene.slot(0).begun = 3;
  scene.slot(1).begun = 0;
  scene.slot(2).tid = UINT32_MAX;
  scene.slot(2).dropped = UINT64_MAX;
  scene.drain();
  scene.drain();
  CHECK(scene.reader.ledger().balanced());
}
