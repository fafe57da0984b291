// SPDX-License-Identifier: Apache-2.0
#include "fibers.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <vector>

#include "recorder.h"

using namespace compmond;
using namespace compmond::trace;
using record::Event;

namespace {

Fibers some_fibers(size_t threads = 1) {
  const auto size = rc::gen::elementOf(std::vector<uint64_t>{16, 32, 64, 64, 64, 128, 1024});
  auto sizes = *rc::gen::resize(12, rc::gen::container<std::vector<uint64_t>>(size));
  while (sizes.size() < threads) sizes.push_back(64);
  Fibers fibers(sizes, *rc::gen::arbitrary<bool>(), threads);
  // Beyond the size of 100 numbers are hardly random any more: nearly all their bits are set.
  const auto number = rc::gen::resize(100, rc::gen::arbitrary<uint32_t>());
  const auto script = *rc::gen::resize(800, rc::gen::container<std::vector<uint32_t>>(number));
  for (const uint32_t random : script) fibers.step(random);
  return fibers;
}

struct Seen {
  explicit Seen(const std::vector<std::span<const Event>>& threads, size_t span = 1,
                Tracer::Stacks stacks = Tracer::Stacks::kSwitching)
      : tracer({0, 0, 1, 1, 2, 2}, recorder, stacks) {
    size_t most = 0;
    for (const auto& events : threads) most = std::max(most, events.size());
    for (size_t at = 0; at < most; at += span)
      for (size_t i = 0; i < threads.size(); ++i)
        if (at < threads[i].size())
          tracer.on_events(ThreadId(i),
                           threads[i].subspan(at, std::min(span, threads[i].size() - at)));
    for (const Execution& e : recorder.closed) by_start[e.start_ns] = e;
  }
  // What was seen of a call, or nullptr while it is open. Times are unique.
  const Execution* of(const Fibers::Call& call) const {
    const auto at = by_start.find(call.start_ns);
    return at == by_start.end() ? nullptr : &at->second;
  }
  bool returned(const Fibers::Call& call) const {
    return of(call) && of(call)->reason == Closed::kReturned;
  }
  Recorder recorder;
  Tracer tracer;
  std::map<uint64_t, Execution> by_start;
};

std::vector<std::span<const Event>> all_of(const Fibers& fibers) {
  return {fibers.events.begin(), fibers.events.end()};
}

// By operation: calls that returned, as they did and as they were seen, and returns of none.
struct Returns {
  std::array<uint64_t, Fibers::kOperations> truth{}, seen{}, orphans{};
};
Returns returns_of(const Fibers& fibers, const Seen& seen) {
  Returns out;
  for (const Fibers::Call& call : fibers.calls) {
    out.truth[call.op] += call.end_ns > 0;
    out.seen[call.op] += seen.returned(call);
  }
  for (const auto& [op, count] : seen.recorder.orphans) out.orphans[op] += count;
  return out;
}

}  // namespace

TEST_CASE("fibers: random ones on adjacent stacks return exactly when they did, others never") {
  CHECK(rc::check("calls equal the truth", [](uint8_t span) {
    const Fibers fibers = some_fibers();
    const Seen seen(all_of(fibers), 1 + span % 50);
    RC_ASSERT(seen.tracer.ledger().balanced());
    RC_ASSERT(seen.tracer.ledger().orphan_exits == 0u);
    RC_ASSERT(seen.tracer.ledger().entries == fibers.calls.size());
    uint64_t real = 0;
    for (const Execution& e : seen.recorder.closed) real += e.end_ns - e.start_ns - e.nested_ns;
    const std::vector<Event>& events = fibers.events.front();
    if (real > 0) RC_ASSERT(real <= events.back().time_ns - events.front().time_ns);
    for (const Fibers::Call& call : fibers.calls) {
      RC_ASSERT(seen.returned(call) == (call.end_ns > 0));
      if (call.end_ns == 0) continue;
      RC_ASSERT(seen.of(call)->op == call.op);
      RC_ASSERT(seen.of(call)->end_ns == call.end_ns);
    }
  }));
}

TEST_CASE("fibers: where what changes stacks is watched, each has the time that it ran") {
  constexpr uint64_t kOne = 0x7f00'0001'ff00, kOther = 0x7f00'0000'ff00;
  Recorder recorder;
  Tracer tracer({0, 1}, recorder, Tracer::Stacks::kSwitching);
  tracer.on_events(0,
                   std::vector<Event>{in(0, kOne, 0), transfer(Transfer::kJump, kOne - 50, 10),
                                      in(1, kOther, 12), transfer(Transfer::kJump, kOther - 50, 20),
                                      transfer(Transfer::kJump, kOne - 60, 26), out(1, kOther, 40),
                                      out(0, kOne, 50)});
  CHECK(lines(recorder.closed) ==
        std::vector<Line>{{1, 12, 40, 22, Closed::kReturned}, {0, 0, 50, 26, Closed::kReturned}});
}

TEST_CASE("fibers: seen from any moment on, what began since is exact and the rest are orphans") {
  CHECK(rc::check("calls equal the truth", [](uint16_t cut) {
    const Fibers fibers = some_fibers();
    const std::vector<Event>& events = fibers.events.front();
    const size_t from = events.empty() ? 0 : cut % events.size();
    const Seen seen({std::span(events).subspan(from)});
    uint64_t orphans = 0;
    for (const Fibers::Call& call : fibers.calls) {
      if (call.entry.event < from) {
        orphans += call.end_ns > 0 && call.exit.event >= from;
        continue;
      }
      RC_ASSERT(seen.returned(call) == (call.end_ns > 0));
      if (call.end_ns > 0) RC_ASSERT(seen.of(call)->end_ns == call.end_ns);
    }
    RC_ASSERT(seen.tracer.ledger().orphan_exits == orphans);
    RC_ASSERT(seen.tracer.ledger().balanced());
  }));
}

// A call whose return nobody found is shown as something else, and each such return is counted.
TEST_CASE("fibers: of those that go on on other threads every return is a call's or an orphan") {
  CHECK(rc::check("returns add up by operation", [](uint8_t span) {
    const Fibers fibers = some_fibers(2 + span % 3);
    const Seen seen(all_of(fibers), 1 + span % 50);
    RC_ASSERT(seen.tracer.ledger().balanced());
    RC_ASSERT(seen.tracer.ledger().entries == fibers.calls.size());
    const Returns returns = returns_of(fibers, seen);
    for (OperationId op = 0; op < Fibers::kOperations; ++op)
      RC_ASSERT(returns.seen[op] + returns.orphans[op] == returns.truth[op]);
    for (const Fibers::Call& call : fibers.calls) {
      if (returns.orphans[call.op] > 0) continue;
      RC_ASSERT(seen.returned(call) == (call.end_ns > 0));
      if (call.end_ns > 0) RC_ASSERT(seen.of(call)->end_ns == call.end_ns);
    }
  }));
}

TEST_CASE("fibers: where nobody knew of them beforehand, what is wrong with returns is counted") {
  CHECK(rc::check("returns add up by operation", [](uint8_t span) {
    const Fibers fibers = some_fibers();
    const Seen seen(all_of(fibers), 1 + span % 50, Tracer::Stacks::kOrdinary);
    RC_ASSERT(seen.tracer.ledger().balanced());
    const Returns returns = returns_of(fibers, seen);
    bool wrong = false;
    for (OperationId op = 0; op < Fibers::kOperations; ++op) {
      RC_ASSERT(returns.seen[op] + returns.orphans[op] == returns.truth[op]);
      wrong |= returns.orphans[op] > 0;
    }
    RC_ASSERT(!wrong || seen.tracer.ledger().stack_switches > 0);
  }));
}
