// SPDX-License-Identifier: Apache-2.0
// The protocol of the slots, between the writer of slot_writer.h and the reader of stream.h: a
// reader that looks after each single store, and one on a thread of its own.
#include <doctest/doctest.h>

#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "record/stream.h"

using namespace compmond::record;

namespace {

struct Ring {
  int send(const cm_chunk& chunk) {
    const std::lock_guard lock(mutex);
    if (chunks.size() >= room) return -1;
    chunks.push_back(chunk);
    return 0;
  }
  std::deque<cm_chunk> take() {
    const std::lock_guard lock(mutex);
    return std::exchange(chunks, {});
  }
  std::mutex mutex;
  std::deque<cm_chunk> chunks;
  size_t room = 8;
};

std::function<void()> after_each_store = [] {};

#define CM_RING Ring
#define CM_SEND(ring, chunk) (ring)->send(*(chunk))
#define CM_STORE(word, value) \
  (__atomic_store_n(&(word), (value), __ATOMIC_RELEASE), after_each_store())
#define CM_FILL(word, value) CM_STORE(word, value)
#include "record/slot_writer.h"

// Checks each thread's events as they come: values count up from 0, but for what is told as lost.
struct Checked : EventSink {
  void on_thread(ThreadId, const ThreadInfo&) override {
    ++threads;
    next = 0;
  }
  void on_events(ThreadId, std::span<const Event> events) override {
    for (const Event& event : events) {
      if (event.kind == EventKind::kLoss) {
        lost += event.arg;
        next += event.arg;
      } else if (event.kind == EventKind::kEntry) {
        wrong += event.sp != next || event.time_ns != event.sp || event.op != uint32_t(event.sp);
        next = event.sp + 1;
        ++entries;
      } else {
        ++ends;
      }
    }
  }
  uint64_t threads = 0, next = 0, entries = 0, lost = 0, ends = 0, wrong = 0;
};

struct Watched {
  void append(uint64_t value, cm_kind kind = CM_ENTRY) {
    cm_append(&ring, &slot, value, value, uint32_t(value), kind, 0);
  }
  void look(bool at_ring) {
    if (at_ring)
      for (const cm_chunk& chunk : ring.take()) stream.on_chunk(chunk, sink);
    std::vector<uint32_t> freed;
    stream.read_slots(sink, freed);
    given_back += freed.size();
  }

  cm_slot slot{};
  Ring ring;
  Stream stream{&slot, 1};
  Checked sink;
  uint64_t given_back = 0;
};

constexpr uint64_t kFirst = 70, kDropped = 100, kLast = 10;

// A thread whose third chunk finds the ring full for a while: more is lost than waits in the ring.
void live_and_end(Watched& it) {
  cm_begin(&it.slot, 0);
  uint64_t value = 0;
  for (; value < kFirst; ++value) it.append(value);
  const size_t room = std::exchange(it.ring.room, 0);
  for (; value < kFirst + CM_CHUNK_RECORDS + kDropped; ++value) it.append(value);
  it.ring.room = room;
  for (; value < kFirst + CM_CHUNK_RECORDS + kDropped + kLast; ++value) it.append(value);
  it.append(value, CM_THREAD_EXIT);
  cm_end(&it.slot);
}

// The whole life, with looks of a reader after the stores from number `begin` to before `end`.
uint64_t live_under_looks(uint64_t begin, uint64_t end, bool at_ring) {
  Watched it;
  uint64_t stores = 0;
  after_each_store = [&] {
    if (stores >= begin && stores < end) it.look(at_ring);
    ++stores;
  };
  live_and_end(it);
  after_each_store = [] {};
  it.look(true);
  it.look(true);
  CAPTURE(begin);
  CAPTURE(at_ring);
  const Ledger ledger = it.stream.ledger(0);
  CHECK(it.sink.wrong == 0);
  CHECK(it.sink.threads == 1);
  CHECK(it.sink.ends == 1);
  CHECK(it.sink.lost == ledger.lost());
  CHECK(it.sink.entries + it.sink.ends == ledger.delivered);
  CHECK(ledger.balanced());
  CHECK(ledger.pending == 0);
  CHECK(it.given_back == 1);
  CHECK(it.slot.state == CM_FREE);
  return stores;
}

}  // namespace

TEST_CASE(
    "slot writer: whichever store a reader comes behind, it takes nothing for lost that is not") {
  const uint64_t stores = live_under_looks(0, 0, false);
  CHECK(stores > 7 * (kFirst + kLast));
  for (uint64_t at = 0; at < stores; ++at)
    for (const bool at_ring : {false, true}) live_under_looks(at, at + 1, at_ring);
  live_under_looks(0, stores, false);
  live_under_looks(0, stores, true);
}

TEST_CASE(
    "slot writer: what a thread writes while another one reads arrives whole, in order, once") {
  constexpr uint64_t kThreads = 200, kRecords = 2'000;
  Watched it;
  std::thread writer([&] {
    for (uint64_t thread = 0; thread < kThreads; ++thread) {
      while (__atomic_load_n(&it.slot.state, __ATOMIC_ACQUIRE) != CM_FREE)
        std::this_thread::yield();
      it.slot.tid = uint32_t(thread);
      cm_begin(&it.slot, 0);
      for (uint64_t value = 0; value < kRecords; ++value) it.append(value);
      it.append(kRecords, CM_THREAD_EXIT);
      cm_end(&it.slot);
    }
  });
  while (it.given_back < kThreads) it.look(true);
  writer.join();
  const Ledger ledger = it.stream.ledger(0);
  CHECK(it.sink.wrong == 0);
  CHECK(it.sink.threads == kThreads);
  CHECK(it.sink.ends == kThreads);
  CHECK(it.sink.lost == ledger.lost());
  CHECK(ledger.hits == kThreads * (kRecords + 1));
  CHECK(ledger.balanced());
  CHECK(ledger.pending == 0);
}
