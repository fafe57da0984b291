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
