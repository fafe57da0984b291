// SPDX-License-Identifier: Apache-2.0
#include "history/violations.h"

#include <doctest/doctest.h>

#include "history/objectives.h"
#include "history/store.h"

using namespace compmond;
using namespace compmond::history;
using trace::Closed;
using trace::Execution;

namespace {

constexpr uint64_t kMs = 1'000'000;

Execution execution(trace::OperationId op, uint64_t start_ns, uint64_t raw_ns,
                    Closed reason = Closed::kReturned) {
  Execution e;
  e.op = op;
  e.start_ns = start_ns;
  e.end_ns = start_ns + raw_ns;
  e.reason = reason;
  return e;
}

Store store(std::vector<uint64_t> objectives_ns) {
  const size_t operations = objectives_ns.size();
  return Store({operations, 0, 1 << 20, Objectives(std::move(objectives_ns))});
}

Checkpoint checkpoint(const Store& store) {
  Checkpoint out;
  store.fill(out);
  return out;
}

}  // namespace

TEST_CASE("objectives: what takes just as long as it may keeps to it") {
  const Objectives objectives({0, 10, 1});
  CHECK(objectives.any());
  CHECK(objectives.of(1) == 10);
  CHECK(!objectives.missed(1, 10));
  CHECK(objectives.missed(1, 11));
  CHECK(objectives.missed(2, UINT64_MAX));
  CHECK(!objectives.missed(2, 0));  // only counted
}

TEST_CASE("objectives: without one nothing is missed") {
  const Objectives objectives({0, 10});
  CHECK(objectives.of(0) == 0);
  CHECK(!objectives.missed(0, UINT64_MAX));
  CHECK(objectives.of(2) == 0);
  CHECK(!objectives.missed(2, UINT64_MAX));
  CHECK(!Objectives({0, 0}).any());
  CHECK(!Objectives().missed(0, UINT64_MAX));
}

TEST_CASE("violations: the first and the newest are kept, all are counted") {
  Violations violations;
  CHECK(!violations.first());
  const uint64_t count = limits::kViolationsKept * 2 + 7;
  for (uint64_t i = 0; i < count; ++i) violations.add(execution(0, i, 1));
  CHECK(violations.total() == count);
  CHECK(violations.first()->start_ns == 0);
  REQUIRE(violations.kept() == limits::kViolationsKept);
  for (size_t i = 0; i < violations.kept(); ++i)
    CHECK(violations.newest(i).start_ns == count - 1 - i);
}

TEST_CASE("store: violations are counted exactly, however the execution was told or ended") {
  Store kept = store({0, 5 * kMs, 100});
  trace::OpenExecution open;
  open.op = 1;
  kept.on_begin(open);
  kept.on_closed(execution(1, 0, 6 * kMs));
  kept.on_begin(open);
  kept.on_closed(execution(1, 0, 5 * kMs));
  kept.on_begin(open);
  kept.on_closed(execution(1, 10 * kMs, 7 * kMs, Closed::kAbandoned));
  kept.on_begin(open);
  kept.on_closed(execution(1, 10 * kMs, 8 * kMs, Closed::kLossy));
  kept.on_begin(open);
  kept.on_closed(execution(1, 10 * kMs, 8 * kMs, Closed::kThreadExit));
  kept.on_whole(execution(2, 20 * kMs, 101));
  kept.on_whole(execution(2, 20 * kMs, 100));
  kept.on_whole(execution(0, 20 * kMs, 999'999));
  const Checkpoint now = checkpoint(kept);
  CHECK(now.operations[0].violations == 0);
  CHECK(now.operations[1].violations == 3);
  CHECK(now.operations[1].unseen_violations == 1);
  CHECK(now.operations[2].violations == 1);
  CHECK(now.violations.total() == 4);
  CHECK(now.violations.first()->end_ns == 6 * kMs);
  CHECK(now.violations.newest(0).op == 2);
}

TEST_CASE("store: violations lie where they ended, in columns and sums") {
  Store kept = store({kMs});
  for (uint64_t i = 0; i < 100; ++i) {
    trace::OpenExecution open;
    open.start_ns = i * 10 * kMs;
    kept.on_begin(open);
    kept.on_closed(execution(0, i * 10 * kMs, i % 4 == 0 ? 2 * kMs : kMs));
  }
  CHECK(kept.violation_sum(0, 0, 1000 * kMs) == 25);
  CHECK(kept.violation_sum(0, 0, 2 * kMs) == 0);  // the first one ended there
  CHECK(kept.violation_sum(0, 2 * kMs, 3 * kMs) == 1);
  const auto columns = kept.violations(0, 0, 1000 * kMs, 10);
  REQUIRE(columns.size() == 10);
  uint64_t sum = 0;
  for (const uint64_t count : columns) sum += count;
  CHECK(sum == 25);
  CHECK(columns[0] == 3);
}
