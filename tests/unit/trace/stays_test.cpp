// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "recorder.h"

using namespace compmond;
using namespace compmond::trace;

namespace {

constexpr OperationId A = 0, B = 1;
constexpr uint64_t kFiber = 1u << 30;  // far from any other stack

struct Told {
  std::vector<Execution> closed;
  Ledger ledger;
};

Told told_of(const std::vector<record::Event>& events,
             Tracer::Stacks stacks = Tracer::Stacks::kOrdinary) {
  Recorder recorder;
  Tracer tracer({0, 1}, recorder, stacks, 64);
  tracer.on_events(1, events);
  return {recorder.closed, tracer.ledger()};
}

}  // namespace

TEST_CASE("stays: they count for the execution that stayed, and change no time") {
  const Told got = told_of({in(A, 900, 0), stays(A, 900, 1), in(B, 800, 2), stays(B, 800, 3),
                            stays(B, 800, 4), out(B, 800, 6), stays(A, 900, 8), out(A, 900, 10)});
  REQUIRE(got.closed.size() == 2);
  CHECK(got.closed[0].stays == 2);
  CHECK(got.closed[0].end_ns == 6);
  CHECK(got.closed[1].stays == 2);
  CHECK(got.closed[1].nested_ns == 4);
}

TEST_CASE("stays: of a function that jumped, they are its own, not those of whom it jumped to") {
  const Told got = told_of({in(A, 900, 0), stays(A, 900, 1), in(B, 900, 2, record::kTailCall),
                            stays(B, 900, 3), stays(B, 900, 4), out(B, 900, 6), out(A, 900, 6)});
  REQUIRE(got.closed.size() == 2);
  CHECK(got.closed[0].op == B);
  CHECK(got.closed[0].stays == 2);
  CHECK(got.closed[1].stays == 1);
}

TEST_CASE("stays: on another stack they find their execution") {
  const Told got = told_of({in(A, 900, 0), in(B, kFiber, 1), stays(A, 900, 2), stays(B, kFiber, 3),
                            out(B, kFiber, 4), out(A, 900, 5)},
                           Tracer::Stacks::kSwitching);
  REQUIRE(got.closed.size() == 2);
  CHECK(got.closed[0].stays == 1);
  CHECK(got.closed[1].stays == 1);
}

TEST_CASE("stays: where nobody is known to run, or the operation is none, they are nobody's") {
  const Told got = told_of({stays(A, 900, 0), in(A, 900, 1), stays(B, 900, 2), stays(A, 800, 3),
                            stays(7, 900, 4), out(A, 900, 5)});
  REQUIRE(got.closed.size() == 1);
  CHECK(got.closed[0].stays == 0);
  CHECK(got.ledger.invalid == 1);
  CHECK(got.ledger.orphan_exits == 0);
  CHECK(got.ledger.balanced());
}

TEST_CASE("chains: what jumped to another one with a return probe ends in that one's trap") {
  constexpr uint8_t kProbed = record::kLimitedExit, kJumped = kProbed | record::kTailCall;
  const auto cheap = [](const std::vector<record::Event>& events) {
    std::vector<bool> out;
    for (const Execution& e : told_of(events).closed) out.push_back(e.flags & kCheapExit);
    return out;
  };
  using Cheap = std::vector<bool>;
  // With something below it, and as a leaf.
  CHECK(cheap({in(A, 900, 0, kProbed), in(B, 900, 1, kJumped), in(A, 800, 2, kProbed),
               out(A, 800, 3), out(B, 900, 4), out(A, 900, 4)}) == Cheap{false, false, true});
  CHECK(cheap({in(A, 900, 0, kProbed), in(B, 900, 1, kJumped), out(B, 900, 4), out(A, 900, 4)}) ==
        Cheap{false, true});
  // A chain of three has one trap.
  CHECK(cheap({in(A, 900, 0, kProbed), in(B, 900, 1, kJumped), in(A, 900, 2, kJumped),
               out(A, 900, 3), out(B, 900, 3), out(A, 900, 3)}) == Cheap{false, true, true});
  // Those that were called have their own, as has what jumped to one without a return probe.
  CHECK(cheap({in(A, 900, 0, kProbed), in(B, 800, 1, kProbed), out(B, 800, 3), out(A, 900, 4)}) ==
        Cheap{false, false});
  CHECK(cheap({in(A, 900, 0, kProbed), in(B, 900, 1, record::kTailCall), out(B, 900, 4),
               out(A, 900, 4)}) == Cheap{false, false});
}
