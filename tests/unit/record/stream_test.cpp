// SPDX-License-Identifier: Apache-2.0
#include "record/stream.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cstring>
#include <deque>
#include <map>

#include "collected.h"
#include "record/inputs.h"

using namespace compmond::record;

namespace {

// The kernel side: slots, and the ring that full chunks go to.
struct Producer {
  explicit Producer(uint32_t count) : slots(count) {
    std::memset(slots.data(), 0, count * sizeof(cm_slot));
  }

  void start(uint32_t slot, uint32_t tid);
  void append(uint32_t slot, uint64_t value, cm_kind kind = CM_ENTRY);
  void end(uint32_t slot);
  int send(const cm_chunk& chunk) {
    if (!ring_full) ring.push_back(chunk);
    return ring_full;
  }

  std::vector<cm_slot> slots;
  std::deque<cm_chunk> ring;
  bool ring_full = false;
  uint64_t clock = 0;
};

#define CM_RING Producer
#define CM_SEND(ring, chunk) (ring)->send(*(chunk))
#include "record/slot_writer.h"

void Producer::start(uint32_t slot, uint32_t tid) {
  cm_slot& s = slots[slot];
  s.pid = 7;
  s.tid = tid;
  std::memcpy(s.comm, "worker", 7);
  cm_begin(&s, slot);
}

void Producer::append(uint32_t slot, uint64_t value, cm_kind kind) {
  cm_append(this, &slots[slot], ++clock, value, uint32_t(value), kind, 0);
}

void Producer::end(uint32_t slot) {
  append(slot, 1, CM_THREAD_EXIT);
  cm_end(&slots[slot]);
}

struct Drained {
  Drained(Producer& p) : producer(p), stream(p.slots.data(), uint32_t(p.slots.size())) {}
  std::vector<uint32_t> drain() {
    while (!producer.ring.empty()) {
      stream.on_chunk(producer.ring.front(), sink);
      producer.ring.pop_front();
    }
    std::vector<uint32_t> freed;
    stream.read_slots(sink, freed);
    return freed;
  }
  Producer& producer;
  Stream stream;
  Collected sink;
};

std::vector<uint64_t> values(const std::vector<Event>& events) {
  std::vector<uint64_t> out;
  for (const Event& e : events)
    if (e.kind == EventKind::kEntry) out.push_back(e.sp);
  return out;
}

}  // namespace

TEST_CASE("stream: a record of a thread that went quiet arrives without a full chunk") {
  Producer producer(4);
  Drained reader(producer);
  producer.start(0, 42);
  producer.append(0, 5);
  reader.drain();
  REQUIRE(reader.sink.threads.size() == 1);
  CHECK(reader.sink.threads[0].tid == 42);
  CHECK(reader.sink.threads[0].name == "worker");
  CHECK(values(reader.sink.events[0]) == std::vector<uint64_t>{5});
}

TEST_CASE("stream: an input says from where and how much") {
  Producer producer(1);
  Drained reader(producer);
  producer.start(0, 1);
  producer.append(0, 7 | 26 << CM_INPUT_SIZE_SHIFT, CM_INPUT);
  reader.drain();
  REQUIRE(reader.sink.events[0].size() == 1);
  const Event& input = reader.sink.events[0][0];
  CHECK(input.kind == EventKind::kInput);
  CHECK(input_descriptor(input.arg) == 7);
  CHECK(input_size(input.arg) == 26);
}

TEST_CASE(
    "stream: records read in place are not handed over again when their chunk comes through the "
    "ring") {
  Producer producer(1);
  Drained reader(producer);
  producer.start(0, 1);
  for (uint64_t i = 0; i < 100; ++i) {
    producer.append(0, i);
    if (i % 7 == 0) reader.drain();
  }
  reader.drain();
  const auto got = values(reader.sink.events[0]);
  REQUIRE(got.size() == 100);
  for (uint64_t i = 0; i < 100; ++i) CHECK(got[i] == i);
  CHECK(reader.stream.ledger(0).hits == 100);
  CHECK(reader.stream.ledger(0).delivered == 100);
  CHECK(reader.stream.ledger(0).lost() == 0);
}

TEST_CASE("stream: a chunk still under way in the ring is waited for, not taken for a loss") {
  Producer producer(1);
  Drained reader(producer);
  producer.start(0, 1);
  for (uint64_t i = 0; i < 40; ++i) producer.append(0, i);
  std::vector<uint32_t> freed;
  reader.stream.read_slots(reader.sink, freed);  // slots first: the chunk is in the ring
  CHECK(reader.sink.events[0].empty());
  CHECK(reader.stream.ledger(0).pending == 40);
  reader.drain();
  CHECK(values(reader.sink.events[0]).size() == 40);
}

TEST_CASE("stream: what the full ring dropped is one loss event of the exact size, in its place") {
  Producer producer(1);
  Drained reader(producer);
  producer.start(0, 1);
  for (uint64_t i = 0; i < 32; ++i) producer.append(0, i);
  producer.ring_full = true;
  for (uint64_t i = 32; i < 50; ++i) producer.append(0, i);
  producer.ring_full = false;
  for (uint64_t i = 50; i < 60; ++i) producer.append(0, i);
  reader.drain();
  const auto& events = reader.sink.events[0];
  REQUIRE(events.size() == 43);
  CHECK(events[32].kind == EventKind::kLoss);
  CHECK(events[32].arg == 18);
  CHECK(events[33].sp == 50);
  const Ledger ledger = reader.stream.ledger(0);
  CHECK(ledger.hits == 60);
  CHECK(ledger.delivered == 42);
  CHECK(ledger.lost_ring == 18);
  CHECK(ledger.pending == 0);
  CHECK(ledger.balanced());
}

TEST_CASE(
    "stream: a slot is given back when its thread ended, and its next thread is another one") {
  Producer producer(2);
  Drained reader(producer);
  producer.start(1, 10);
  producer.append(1, 3);
  producer.end(1);
  CHECK(reader.drain() == std::vector<uint32_t>{1});
  CHECK(reader.sink.events[0].back().kind == EventKind::kThreadExit);
  producer.start(1, 11);
  producer.append(1, 4);
  reader.drain();
  CHECK(reader.sink.threads[1].tid == 11);
  CHECK(values(reader.sink.events[1]) == std::vector<uint64_t>{4});
  CHECK(reader.stream.ledger(0).hits == 3);
}

TEST_CASE("stream: a thread whose very end was lost is still closed") {
  Producer producer(1);
  Drained reader(producer);
  producer.start(0, 1);
  for (uint64_t i = 0; i < 32; ++i) producer.append(0, i);
  producer.ring_full = true;
  producer.append(0, 99);
  producer.end(0);
  CHECK(reader.drain().size() == 1);
  const auto& events = reader.sink.events[0];
  CHECK(events[32].kind == EventKind::kLoss);
  CHECK(events[32].arg == 2);
  CHECK(events[33].kind == EventKind::kThreadExit);
}

TEST_CASE("stream: threads without a slot count as lost") {
  Producer producer(1);
  Drained reader(producer);
  const Ledger ledger = reader.stream.ledger(12);
  CHECK(ledger.hits == 12);
  CHECK(ledger.lost_slots == 12);
  CHECK(ledger.balanced());
}

TEST_CASE(
    "stream: whatever the order of drains and full rings, hits = delivered + lost and order is "
    "kept") {
  rc::check([] {
    Producer producer(3);
    Drained reader(producer);
    for (uint32_t s = 0; s < 3; ++s) producer.start(s, s);
    std::map<uint32_t, uint64_t> next;
    const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 12));
    for (const int step : steps) {
      if (step == 0)
        reader.drain();
      else if (step == 1)
        producer.ring_full = !producer.ring_full;
      else
        for (int i = 0; i < step * 3; ++i)
          producer.append(uint32_t(step % 3), next[uint32_t(step % 3)]++);
    }
    producer.ring_full = false;
    for (uint32_t s = 0; s < 3; ++s) producer.end(s);
    reader.drain();
    uint64_t lost = 0, got = 0;
    for (auto& [thread, events] : reader.sink.events) {
      uint64_t expected = 0;
      for (const Event& event : events) {
        if (event.kind == EventKind::kLoss) {
          lost += event.arg;
          expected += event.arg;
        } else {
          ++got;
          if (event.kind == EventKind::kEntry) RC_ASSERT(event.sp == expected++);
        }
      }
    }
    const Ledger ledger = reader.stream.ledger(0);
    RC_ASSERT(ledger.delivered == got);
    RC_ASSERT(ledger.lost() == lost);
    RC_ASSERT(ledger.hits == got + lost);
    RC_ASSERT(ledger.pending == 0u);
  });
}

TEST_CASE(
    "stream: a chunk that comes through the ring after later records were read in place tells no "
    "loss twice") {
  Producer producer(1);
  Drained reader(producer);
  producer.start(0, 1);
  producer.ring_full = true;
  for (uint64_t i = 0; i < 100; ++i) producer.append(0, i);  // 32 fit
  reader.drain();
  producer.ring_full = false;
  producer.append(0, 100);  // the full chunk goes to the ring only now
  std::vector<uint32_t> freed;
  reader.stream.read_slots(reader.sink, freed);
  producer.end(0);
  reader.drain();
  uint64_t lost = 0;
  for (const Event& event : reader.sink.events[0])
    if (event.kind == EventKind::kLoss) lost += event.arg;
  CHECK(lost == 68);
  CHECK(reader.stream.ledger(0).lost_ring == 68);
  CHECK(reader.stream.ledger(0).balanced());
}

TEST_CASE("stream: a chunk of a thread whose slot has a new owner since is not handed over again") {
  Producer producer(1);
  Drained reader(producer);
  producer.start(0, 1);
  for (uint64_t i = 0; i < 32; ++i) producer.append(0, i);
  reader.drain();
  producer.end(0);  // its first chunk goes to the ring, and waits there
  std::vector<uint32_t> freed;
  reader.stream.read_slots(reader.sink, freed);
  REQUIRE(freed.size() == 1);
  producer.start(0, 2);
  producer.append(0, 5);
  reader.stream.read_slots(reader.sink, freed);
  reader.drain();
  CHECK(reader.sink.threads.size() == 2);
  CHECK(reader.stream.delivered() == 34);
  CHECK(reader.stream.ledger(0).balanced());
}

TEST_CASE("stream: it is complete up to the moment at which the ring began to be emptied") {
  Producer producer(2);
  Drained reader(producer);
  producer.start(0, 1);
  for (uint64_t i = 0; i < 40; ++i) producer.append(0, i);
  reader.drain();
  CHECK(reader.stream.complete_ns(1000) == 1000);
  producer.ring_full = true;  // what was dropped is not waited for
  for (uint64_t i = 0; i < 40; ++i) producer.append(0, i);
  reader.drain();
  CHECK(reader.stream.ledger(0).lost_ring > 0);
  CHECK(reader.stream.complete_ns(1000) == 1000);
}

TEST_CASE("stream: it is complete up to the last of a thread that has more in the ring") {
  Producer producer(2);
  Drained reader(producer);
  producer.start(0, 1);
  producer.start(1, 2);
  for (uint64_t i = 0; i < 20; ++i) producer.append(0, i);  // at 1 to 20
  reader.drain();
  for (uint64_t i = 20; i < 40; ++i) producer.append(0, i);
  producer.append(1, 0);
  std::vector<uint32_t> freed;
  reader.stream.read_slots(reader.sink, freed);  // the ring is not emptied
  CHECK(reader.stream.complete_ns(1000) == 20);
  reader.drain();
  CHECK(reader.stream.complete_ns(1000) == 1000);
}

TEST_CASE("stream: of a thread of which nothing came yet, nothing is complete") {
  Producer producer(1);
  Drained reader(producer);
  producer.start(0, 1);
  for (uint64_t i = 0; i < 40; ++i) producer.append(0, i);
  std::vector<uint32_t> freed;
  reader.stream.read_slots(reader.sink, freed);
  CHECK(reader.stream.complete_ns(1000) == 0);
}
