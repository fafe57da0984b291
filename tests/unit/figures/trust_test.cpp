// SPDX-License-Identifier: Apache-2.0
#include "figures/trust.h"

#include <doctest/doctest.h>

#include "scene.h"

using namespace compmond;
using namespace compmond::figures;
using trace::in;
using trace::out;

namespace {

history::Checkpoint sound() {
  Scene scene({0, 1}, {-1, -1});
  scene.feed(0, {in(0, 900, 0), in(1, 800, 10), out(1, 800, 30), in(1, 800, 40)});
  scene.feed(1, {in(1, 900, 5), trace::other(record::EventKind::kThreadExit, 9)});
  return scene.checkpoint(100);
}

}  // namespace

TEST_CASE("trust: the accounts of a run hold, with open executions and for every reason") {
  CHECK(accounts_hold(sound()));
  CHECK(accounts_hold({}));
}

TEST_CASE("trust: a difference of one in any account is found") {
  using history::Checkpoint;
  void (*const faults[])(Checkpoint&) = {
      [](Checkpoint& c) { ++c.capture.hits; },
      [](Checkpoint& c) { ++c.capture.delivered; },
      [](Checkpoint& c) { ++c.trace.entries; },
      [](Checkpoint& c) { ++c.trace.open; },
      [](Checkpoint& c) { ++c.trace.entries, ++c.trace.open; },
      [](Checkpoint& c) { ++c.operations[0].calls; },
      [](Checkpoint& c) { ++c.operations[1].closed[0]; },
      [](Checkpoint& c) { ++c.operations[1].calls, --c.operations[0].calls; },
      [](Checkpoint& c) { ++c.operations[1].closed[0], --c.operations[1].closed[2]; },
      [](Checkpoint& c) { c.open.pop_back(); },
      [](Checkpoint& c) { ++c.trace.orphan_exits; },
      [](Checkpoint& c) { ++c.operations[1].orphan_exits; },
  };
  for (const auto fault : faults) {
    Checkpoint checkpoint = sound();
    fault(checkpoint);
    CHECK_FALSE(accounts_hold(checkpoint));
  }
}

TEST_CASE("trust: a window misses events when records were lost in it") {
  history::Checkpoint checkpoint = sound();
  CHECK_FALSE(misses_events(checkpoint, {0, UINT64_MAX}));
  checkpoint.losses = {{100, 200, 5}, {300, 301, 0}};
  CHECK(misses_events(checkpoint, {0, 101}));
  CHECK(misses_events(checkpoint, {199, 250}));
  CHECK(misses_events(checkpoint, {300, 301}));
  CHECK_FALSE(misses_events(checkpoint, {0, 100}));
  CHECK_FALSE(misses_events(checkpoint, {200, 300}));
}

TEST_CASE("trust: a loss whose time nobody knows is missing in every window") {
  void (*const losses[])(record::Ledger&) = {
      [](record::Ledger& l) { l.lost_slots = 1; },
      [](record::Ledger& l) { l.lost_log = 1; },
      [](record::Ledger& l) { l.lost_ring = 1; },
      [](record::Ledger& l) { l.lost_refused = 1; },
  };
  for (const auto lose : losses) {
    history::Checkpoint checkpoint = sound();
    lose(checkpoint.capture);
    CHECK(misses_events(checkpoint, {0, 1}));
  }
  history::Checkpoint told = sound();
  told.capture.lost_ring = told.trace.lost_records = 7;
  CHECK_FALSE(misses_events(told, {0, 1}));
}

TEST_CASE(
    "trust: whose returns belong to no call of their thread is told where threads change stacks") {
  history::Checkpoint checkpoint = sound();
  const auto name_of = [](OperationId op) { return std::string(1, char('a' + op)); };
  checkpoint.operations.resize(7);
  for (OperationId op = 1; op < 7; ++op) checkpoint.operations[op].orphan_exits = op;
  checkpoint.operations[2].orphan_exits = 1'000;
  checkpoint.trace.orphan_exits = 1'019;
  CHECK(doubts(checkpoint, name_of, false).empty());
  CHECK_FALSE(strays(checkpoint, 2));

  checkpoint.trace.stack_switches = 1;
  const auto said = doubts(checkpoint, name_of, false);
  REQUIRE(said.size() == 1);
  CHECK(said[0].starts_with("1,019 returns belong to no call of their thread"));
  CHECK(said[0].ends_with(": 1,000 of c, 6 of g, 5 of f, 4 of e, 3 of d, and of 1 other"));
}

TEST_CASE("trust: an operation strays by more than a hundredth of its returns") {
  history::Checkpoint checkpoint = sound();
  checkpoint.trace.stack_switches = 1;
  CHECK_FALSE(strays(checkpoint, 0));
  checkpoint.operations[0].closed[size_t(trace::Closed::kReturned)] = 99;
  checkpoint.operations[0].orphan_exits = 1;
  CHECK_FALSE(strays(checkpoint, 0));
  checkpoint.operations[0].orphan_exits = 2;
  CHECK(strays(checkpoint, 0));
}
