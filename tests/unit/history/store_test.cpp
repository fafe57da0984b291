// SPDX-License-Identifier: Apache-2.0
#include "history/store.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <tuple>

using namespace compmond;
using namespace compmond::history;
using trace::Closed;
using trace::Execution;
using trace::kNoOperation;

namespace {

auto fields(const Execution& e) {
  return std::tie(e.start_ns, e.end_ns, e.nested_ns, e.trace_id, e.op, e.caller, e.thread, e.eoi,
                  e.ess, e.reason, e.flags, e.stays, e.unsure_ns);
}

std::vector<Execution> retained(const Store& store, uint64_t from = 0, uint64_t to = UINT64_MAX) {
  Checkpoint checkpoint;
  store.fill(checkpoint);
  std::vector<Execution> out;
  store.scan(checkpoint.first_execution, checkpoint.end_execution, from, to,
             [&](const Execution& e) { out.push_back(e); });
  return out;
}

Execution execution(OperationId op, uint64_t start, uint64_t end, uint64_t nested = 0,
                    OperationId caller = kNoOperation) {
  Execution e;
  e.op = op;
  e.start_ns = start;
  e.end_ns = end;
  e.nested_ns = nested;
  e.caller = caller;
  e.flags = trace::kOutermostOfOperation | trace::kOutermostOfComponent;
  return e;
}

void run(Store& store, const Execution& e) {
  trace::OpenExecution open;
  open.op = e.op;
  open.start_ns = e.start_ns;
  open.caller = e.caller;
  open.thread = e.thread;
  open.flags = e.flags;
  store.on_begin(open);
  store.on_closed(e);
}

}  // namespace

TEST_CASE("store: what is retained comes back as it was, whatever its values") {
  CHECK(rc::check(
      [](const std::vector<std::tuple<uint64_t, uint32_t, uint8_t, uint64_t, uint16_t>>& given) {
        Store store({100'000, 0, 1 << 20});
        std::vector<Execution> expected;
        for (const auto& [time, number, shift, trace_id, ess] : given) {
          Execution e = execution(number % 100'000, time >> 2, 0, 0,
                                  number % 3 ? number / 7 % 100'000 : kNoOperation);
          e.end_ns = e.start_ns + (time >> (2 + shift % 60));
          e.nested_ns = (e.end_ns - e.start_ns) / (1 + number % 5);
          e.trace_id = trace_id;
          e.thread = number ^ 0x80000000;
          e.eoi = number * 2654435761u;
          e.ess = ess;
          e.reason = Closed(number % trace::kClosedReasons);
          e.flags = number % 16;
          e.stays = number % 9 == 0 ? number : 0;
          e.unsure_ns = number % 13 == 0 ? time : 0;
          store.on_closed(e);
          expected.push_back(e);
        }
        const std::vector<Execution> got = retained(store);
        RC_ASSERT(got.size() == expected.size());
        for (size_t i = 0; i < got.size(); ++i) RC_ASSERT(fields(got[i]) == fields(expected[i]));
      }));
}

TEST_CASE(
    "store: within its budget it keeps the newest executions and says since when they are "
    "complete") {
  const size_t budget = 1 << 20;
  Store store({1, 0, budget});
  const size_t before = store.memory_bytes();
  const uint64_t count = 100'000, width = 5'000'000'000;  // needs two slots
  for (uint64_t i = 0; i < count; ++i)
    store.on_closed(execution(0, i * 10, i * 10 + (i % 3 == 0 ? width : 5)));
  Checkpoint checkpoint;
  store.fill(checkpoint);
  CHECK(checkpoint.end_execution == count);
  CHECK(checkpoint.first_execution > count / 2);
  CHECK(checkpoint.complete_since_ns > 0);
  const std::vector<Execution> kept = retained(store);
  REQUIRE(kept.size() == count - checkpoint.first_execution);
  CHECK(kept.size() > 10'000);
  for (size_t i = 0; i < kept.size(); ++i)
    CHECK(kept[i].start_ns == (checkpoint.first_execution + i) * 10);
  CHECK(store.memory_bytes() - before <= budget + 100'000);
  // Every execution dropped ended by then.
  CHECK((checkpoint.first_execution - 1) * 10 <= checkpoint.complete_since_ns);
  CHECK(checkpoint.operations[0].calls == 0);
  CHECK(checkpoint.operations[0].raw.count() == count);
}

TEST_CASE("store: a scan of executions evicted since its checkpoint tells how many it missed") {
  Store store({1, 0, 0});
  for (uint64_t i = 0; i < 5000; ++i) store.on_closed(execution(0, i, i + 1));
  Checkpoint checkpoint;
  store.fill(checkpoint);
  for (uint64_t i = 5000; i < 20'000; ++i) store.on_closed(execution(0, i, i + 1));
  uint64_t seen = 0;
  const auto nothing = store.scan(checkpoint.first_execution, checkpoint.end_execution, 0,
                                  UINT64_MAX, [&](const Execution&) { ++seen; });
  CHECK(nothing.visited == 0);
  CHECK(seen == 0);
  CHECK(nothing.evicted == 5000);
  const auto some = store.scan(0, 20'000, 0, UINT64_MAX, [&](const Execution&) { ++seen; });
  CHECK(some.visited == seen);
  CHECK(some.visited + some.evicted == 20'000);
  CHECK(some.visited > 4096);
}

TEST_CASE("store: a scan visits what overlaps its span and skips whole chunks that cannot") {
  Store store({1, 0, 8 << 20});
  for (uint64_t i = 0; i < 50'000; ++i) store.on_closed(execution(0, i * 10, i * 10 + 15));
  uint64_t overlapping = 0;
  const auto scan = store.scan(0, 50'000, 300'000, 301'000, [&](const Execution& e) {
    overlapping += e.start_ns < 301'000 && e.end_ns > 300'000;
  });
  CHECK(overlapping == 102 - 1);
  CHECK(scan.visited <= 2 * 4096);
  CHECK(scan.evicted == 0);
  uint64_t part = 0;
  store.scan(10'000, 10'010, 0, UINT64_MAX,
             [&](const Execution& e) { part += e.start_ns / 10 - 10'000; });
  CHECK(part == 45);
}

TEST_CASE("store: totals, edges and threads are sums of what was told") {
  Store store({3, 7, 1 << 20});
  store.on_thread(4, {100, 101, 5, "worker"});
  Execution outer = execution(0, 100, 200, 60), inner = execution(1, 110, 170, 0, 0),
            again = execution(0, 300, 340);
  outer.thread = inner.thread = again.thread = 4;
  inner.flags = trace::kTruncated;
  inner.reason = Closed::kAbandoned;
  Execution counted = execution(2, 120, 120, 0, 1);
  counted.flags = trace::kEntryOnly;
  counted.thread = 4;
  for (const Execution& e : {counted, inner, outer, again}) run(store, e);
  trace::OpenExecution open;
  open.op = 1;
  open.caller = 0;
  open.thread = 4;
  store.on_begin(open);

  Checkpoint checkpoint;
  store.fill(checkpoint);
  CHECK(checkpoint.start_ns == 7);
  const OperationTotals& a = checkpoint.operations[0];
  CHECK(std::tuple(a.calls, a.raw_ns, a.nested_ns, a.min_ns, a.max_ns) ==
        std::tuple(2u, 140u, 60u, 40u, 100u));
  CHECK(std::tuple(a.outer_raw_ns, a.component_raw_ns, a.closed[0], a.raw.count()) ==
        std::tuple(140u, 140u, 2u, 2u));
  const OperationTotals& b = checkpoint.operations[1];
  CHECK(std::tuple(b.calls, b.closed[1], b.truncated, b.outer_raw_ns, b.raw_ns) ==
        std::tuple(2u, 1u, 1u, 0u, 60u));
  const OperationTotals& c = checkpoint.operations[2];
  CHECK(std::tuple(c.calls, c.entry_only, c.raw.count(), c.min_ns) ==
        std::tuple(1u, 1u, 0u, UINT64_MAX));
  REQUIRE(checkpoint.edges.size() == 3);
  const auto edge = [&](size_t i) {
    const EdgeTotals& e = checkpoint.edges[i];
    return std::tuple(e.caller, e.callee, e.calls, e.raw_ns);
  };
  CHECK(edge(0) == std::tuple(0u, 1u, 2u, 0u));  // of those outermost of their component
  CHECK(edge(1) == std::tuple(1u, 2u, 1u, 0u));
  CHECK(edge(2) == std::tuple(kNoOperation, 0u, 2u, 140u));
  REQUIRE(checkpoint.threads.size() == 1);
  CHECK(checkpoint.threads[0].info.name == "worker");
  CHECK(std::tuple(checkpoint.threads[0].calls, checkpoint.threads[0].bottom_raw_ns) ==
        std::tuple(5u, 140u));
}

TEST_CASE("store: threads without end are folded into one row, and no call is lost") {
  Store store({1, 0, 1 << 20});
  const uint64_t count = 200'000;
  for (uint32_t i = 0; i < count; ++i) {
    store.on_thread(i, {1, i + 1, i, "t"});
    Execution e = execution(0, i, i + 2);
    e.thread = i;
    run(store, e);
  }
  Checkpoint checkpoint;
  store.fill(checkpoint);
  CHECK(checkpoint.threads.size() <= 32'769);
  CHECK(checkpoint.threads.front().thread == kOlderThreads);
  CHECK(checkpoint.threads.back().thread == count - 1);
  uint64_t calls = 0, raw = 0;
  for (const ThreadTotals& thread : checkpoint.threads) {
    calls += thread.calls;
    raw += thread.bottom_raw_ns;
  }
  CHECK(calls == count);
  CHECK(raw == 2 * count);
}
