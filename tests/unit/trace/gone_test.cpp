// SPDX-License-Identifier: Apache-2.0
// Probes of one operation that go while its calls are open.
#include <doctest/doctest.h>

#include "recorder.h"

using namespace compmond;
using namespace compmond::trace;
using record::EventKind;

namespace {

constexpr OperationId kOuter = 0, kGoing = 1, kInner = 2;

record::Event gone(OperationId op, uint64_t time_ns) {
  return {time_ns, 0, 0, op, EventKind::kGone, 0};
}

struct Run {
  Recorder sink;
  Tracer tracer{{0, 1, 2}, sink};
  void play(const std::vector<record::Event>& events) { tracer.on_events(0, events); }
};

}  // namespace

TEST_CASE("tracer: what is open of an operation whose probes go ends, and all around goes on") {
  Run run;
  run.play({in(kOuter, 900, 0), in(kGoing, 800, 10), in(kInner, 700, 20), gone(kGoing, 30),
            out(kInner, 700, 50), out(kOuter, 900, 100)});
  CHECK(lines(run.sink.closed) == std::vector<Line>{{kGoing, 10, 30, 10, Closed::kLossy},
                                                    {kInner, 20, 50, 30, Closed::kReturned},
                                                    {kOuter, 0, 100, 60, Closed::kReturned}});
  CHECK(run.tracer.ledger().open == 0);
  CHECK(run.tracer.operations_of(0).empty());
  CHECK(run.sink.orphans.empty());
}

TEST_CASE("tracer: where only these are open, nothing is afterwards") {
  Run run;
  run.play({in(kGoing, 900, 0), in(kGoing, 800, 10), gone(kGoing, 30), in(kInner, 850, 40),
            out(kInner, 850, 50)});
  CHECK(lines(run.sink.closed) == std::vector<Line>{{kGoing, 10, 30, 20, Closed::kLossy},
                                                    {kGoing, 0, 30, 10, Closed::kLossy},
                                                    {kInner, 40, 50, 10, Closed::kReturned}});
  CHECK(run.sink.begun.back().caller == kNoOperation);
  CHECK(run.sink.begun.back().ess == 0);
}

TEST_CASE("tracer: a call that began without probes and returns with them is no fiber's") {
  Run run;
  run.play({in(kOuter, 900, 0), in(kGoing, 800, 10), gone(kGoing, 30), in(kInner, 850, 40),
            out(kInner, 850, 50), out(kGoing, 800, 60), out(kOuter, 900, 100)});
  CHECK(run.sink.orphans.at(kGoing) == 1);
  CHECK_FALSE(run.tracer.switches_stacks(0));
  CHECK(run.tracer.ledger().closed[int(Closed::kAbandoned)] == 0);
}

TEST_CASE("tracer: nor is it where one like it was left before its probes went") {
  Run run;
  run.play({in(kOuter, 900, 0), in(kGoing, 800, 10), in(kInner, 850, 20), out(kInner, 850, 25)});
  CHECK(run.tracer.operations_of(0) == std::set<OperationId>{kOuter, kGoing});
  run.play({gone(kGoing, 30), out(kGoing, 800, 60), out(kOuter, 900, 100)});
  CHECK(run.sink.orphans.at(kGoing) == 1);
  CHECK_FALSE(run.tracer.switches_stacks(0));
}

TEST_CASE("tracer: what an exception left is told in front of it") {
  Run run;
  run.play({in(kOuter, 900, 0), in(kGoing, 800, 10), in(kInner, 700, 20),
            transfer(Transfer::kThrow, 650, 25), gone(kGoing, 30), out(kOuter, 900, 100)});
  uint64_t ends = 0;
  for (const uint64_t n : run.tracer.ledger().closed) ends += n;
  CHECK(ends == 3);
  CHECK(run.tracer.ledger().closed[int(Closed::kLossy)] == 1);
  CHECK(run.tracer.ledger().open == 0);
}
