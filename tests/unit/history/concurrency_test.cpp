// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "history/store.h"

using namespace compmond;
using namespace compmond::history;

// Every execution's fields follow from its number, so a torn or recycled one gives itself away.
TEST_CASE("store: readers meet whole executions and bounded sums while the writer goes on") {
  constexpr uint64_t kCount = 120'000, kStep = 20'000;
  Store store({2, 0, 0});
  std::atomic<uint64_t> written{0};
  std::atomic<bool> torn{false}, too_much{false};
  std::atomic<uint64_t> seen{0};

  const auto read = [&] {
    uint64_t last = 0;
    do {
      last = written.load(std::memory_order_acquire);
      const auto scan = store.scan(
          last > 6000 ? last - 6000 : 0, last, 0, UINT64_MAX, [&](const trace::Execution& e) {
            const uint64_t n = e.trace_id;
            if (e.start_ns != n * kStep || e.eoi != uint32_t(n) || e.thread != uint32_t(n * 3) ||
                e.op != n % 2 ||
                e.end_ns != e.start_ns + (n % 50 == 0 ? 6'000'000'000 + n : n % kStep))
              torn = true;
          });
      seen += scan.visited;
      if (scan.visited + scan.evicted != (last > 6000 ? 6000 : last)) torn = true;
      const uint64_t end = (last + 1000) * kStep;
      uint64_t real = 0;
      for (const Tile& tile : store.tiles(0, 0, end, 50)) real += tile.real_ns;
      if (real > (kCount + 1) * kStep) too_much = true;
      if (store.memory_bytes() == 0) torn = true;
    } while (last < kCount);
  };
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) readers.emplace_back(read);
  for (uint64_t n = 0; n < kCount; ++n) {
    trace::Execution e;
    e.trace_id = n;
    e.op = uint32_t(n % 2);
    e.start_ns = n * kStep;
    e.end_ns = e.start_ns + (n % 50 == 0 ? 6'000'000'000 + n : n % kStep);
    e.eoi = uint32_t(n);
    e.thread = uint32_t(n * 3);
    trace::OpenExecution open;
    open.op = e.op;
    open.start_ns = e.start_ns;
    store.on_begin(open);
    store.on_top(0, e.start_ns, e.start_ns + kStep);
    store.on_closed(e);
    written.store(n + 1, std::memory_order_release);
  }
  for (std::thread& reader : readers) reader.join();
  CHECK_FALSE(torn);
  CHECK_FALSE(too_much);
  CHECK(seen > 0);
  CHECK(store.tile_sum(0, 0, kCount * kStep).real_ns == kCount * kStep);
}

TEST_CASE("store: readers meet whole summaries while the writer goes on") {
  constexpr uint64_t kCount = 400'000;
  struct Sums : Visitor {
    Take wants(const Extent& extent) override {
      return extent.first % 2 == 0 ? Take::kSingle : Take::kSummary;
    }
    void on_summary(const Extent& extent, const Summary& summary) override {
      summaries += summary.operations.size() > 0;
      uint64_t calls = 0, raw = 0;
      for (const Summary::Operation& row : summary.operations)
        calls += row.calls, raw += row.raw_ns;
      wrong |= calls != extent.end - extent.first || raw != 7 * calls;
      wrong |= extent.first < next;
      next = extent.end;
    }
    void on_executions(std::span<const trace::Execution> executions) override {
      for (const trace::Execution& e : executions) {
        wrong |= e.trace_id < next || e.end_ns - e.start_ns != 7;
        next = e.trace_id + 1;
      }
    }
    uint64_t next = 0, summaries = 0;
    bool wrong = false;
  };
  Store store({2, 0, 8 << 20});
  std::atomic<uint64_t> written{0};
  std::atomic<bool> wrong{false};
  std::atomic<uint64_t> summaries{0};
  const auto read = [&] {
    uint64_t last = 0;
    do {
      last = written.load(std::memory_order_acquire);
      Sums sums;
      store.walk(0, last, sums);
      if (sums.wrong || sums.next > last) wrong = true;
      summaries += sums.summaries;
    } while (last < kCount);
  };
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i) readers.emplace_back(read);
  for (uint64_t n = 0; n < kCount; ++n) {
    trace::Execution e;
    e.trace_id = n;
    e.op = uint32_t(n % 2);
    e.start_ns = n * 10;
    e.end_ns = e.start_ns + 7;
    store.on_whole(e);
    written.store(n + 1, std::memory_order_release);
  }
  for (std::thread& reader : readers) reader.join();
  CHECK_FALSE(wrong);
  CHECK(summaries > 0);
}
