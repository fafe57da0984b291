// SPDX-License-Identifier: Apache-2.0
#include "record/checked_source.h"

#include <doctest/doctest.h>

#include <optional>

#include "collected.h"
#include "scripted_source.h"

using namespace compmond::record;

namespace {

constexpr uint64_t kSecond = 1'000'000'000;
uint64_t clock_ns = 0;  // of the tests
uint64_t test_clock() { return clock_ns; }

struct Behind {
  explicit Behind(uint32_t threads = 2) : rules{2, 7, threads, test_clock} {
    clock_ns = 100 * kSecond;
    checks.emplace(source, rules);
    source.now = clock_ns;
    source.meet(0, {7, 8, 9, "worker"});
    clock_ns += kSecond;
    source.now = clock_ns;
    checks->drain(sink);
  }
  // What becomes of an event that thread 0 tells.
  Event one(const Event& event) {
    source.say(0, {event});
    checks->drain(sink);
    return sink.events[0].back();
  }
  Event at(EventKind kind, OperationId op = 0, uint8_t flags = 0) {
    Event out = event_at(clock_ns, kind);
    out.op = op;
    out.flags = flags;
    return out;
  }
  const CheckedSource::Refusals& refusals() const { return checks->refusals(); }

  ScriptedSource source;
  CheckedSource::Rules rules;
  std::optional<CheckedSource> checks;
  Collected sink;
};

bool is_refused(const Event& event) {
  return event.kind == EventKind::kLoss && event.arg == 1 && event.op == 0 && event.flags == 0;
}

}  // namespace

TEST_CASE("checked source: calls pass as they are") {
  Behind checked;
  Event entry = checked.at(EventKind::kEntry, 1, kTailCall);
  entry.sp = 5;
  const Event out = checked.one(entry);
  CHECK(out.kind == EventKind::kEntry);
  CHECK(out.op == 1);
  CHECK(out.sp == 5);
  CHECK(out.flags == kTailCall);
  CHECK(out.time_ns == clock_ns);
  checked.one(checked.at(EventKind::kExit, 1));
  checked.one(
      checked.at(EventKind::kContext, 1, context_flags(ContextKind::kTake, ContextType::kString)));
  CHECK(checked.refusals().events() == 0);
  CHECK(checked.checks->ledger().delivered == 3);
  CHECK(checked.checks->ledger().hits == 3);
}

TEST_CASE("checked source: a kind that there is not becomes a loss of one") {
  Behind checked;
  CHECK(is_refused(checked.one(checked.at(EventKind::kUnknown))));
  CHECK(is_refused(checked.one(checked.at(EventKind(255)))));
  CHECK(checked.refusals().kinds == 2);
  const Ledger ledger = checked.checks->ledger();
  CHECK(ledger.lost_refused == 2);
  CHECK(ledger.delivered == 0);
  CHECK(ledger.balanced());
}

TEST_CASE("checked source: a process says nothing about processes and ends of threads") {
  Behind checked;
  for (const EventKind kind :
       {EventKind::kExec, EventKind::kThreadExit, EventKind::kFork, EventKind::kSwitch})
    CHECK(is_refused(checked.one(checked.at(kind))));
  CHECK(checked.refusals().kinds == 4);
}

TEST_CASE("checked source: flags that there are not are refused") {
  Behind checked;
  CHECK(is_refused(checked.one(checked.at(EventKind::kEntry, 0, 8))));
  CHECK(is_refused(checked.one(checked.at(EventKind::kExit, 0, kLimitedExit))));
  CHECK(is_refused(checked.one(checked.at(EventKind::kContext, 0, 64))));
  CHECK(is_refused(checked.one(checked.at(EventKind::kTransfer, 0, kTransfers))));
  CHECK(checked.refusals().kinds == 4);
}

TEST_CASE("checked source: an operation that there is not is refused") {
  Behind checked;
  CHECK(is_refused(checked.one(checked.at(EventKind::kEntry, 2))));
  CHECK(is_refused(checked.one(checked.at(EventKind::kExit, UINT32_MAX))));
  CHECK(is_refused(checked.one(checked.at(EventKind::kContext, 2))));
  CHECK(checked.refusals().operations == 3);
}

TEST_CASE(
    "checked source: threads of another process are refused, and leave no gap in the numbers") {
  Behind checked;
  checked.source.meet(1, {6, 8, 9, "foreign"});
  checked.source.meet(2, {7, 9, 9, "a name that is longer than the kernel's are"});
  checked.source.say(1, {event_at(clock_ns), event_at(clock_ns)});
  checked.source.say(2, {event_at(clock_ns)});
  checked.source.say(3, {event_at(clock_ns)});  // never announced
  checked.checks->drain(checked.sink);
  CHECK(checked.refusals().threads == 3);
  REQUIRE(checked.sink.threads.size() == 2);
  CHECK(checked.sink.threads[1].tid == 9);
  CHECK(checked.sink.threads[1].name == "a name that is ");
  CHECK(checked.sink.events[1].size() == 1);
  CHECK(checked.checks->ledger().lost_refused == 3);
  CHECK(checked.checks->ledger().balanced());
}

TEST_CASE("checked source: more threads than there may be are refused") {
  Behind checked(1);
  checked.source.meet(1, {7, 9, 9, "second"});
  checked.source.say(1, {event_at(clock_ns)});
  checked.checks->drain(checked.sink);
  CHECK(checked.refusals().threads == 1);
  CHECK(checked.sink.threads.size() == 1);
}

TEST_CASE("checked source: a time is not after the clock") {
  Behind checked;
  CHECK(checked.one(event_at(UINT64_MAX)).time_ns == clock_ns);
  CHECK(checked.refusals().clamped_times == 1);
}

TEST_CASE("checked source: a time is not before the thread's last, nor below the promised now") {
  Behind checked;
  const uint64_t promised = checked.checks->now_ns();
  CHECK(promised == clock_ns);
  clock_ns += 500;
  CHECK(checked.one(event_at(promised - 1)).time_ns == promised);
  CHECK(checked.one(event_at(promised + 300)).time_ns == promised + 300);
  CHECK(checked.one(event_at(promised + 200)).time_ns == promised + 300);
  CHECK(checked.refusals().clamped_times == 2);
  CHECK(checked.refusals().events() == 0);
}

TEST_CASE("checked source: a thread cannot have lost more than a record a nanosecond") {
  Behind checked;
  clock_ns += 1000;
  const uint64_t most = clock_ns - (clock_ns - 1000 - kSecond);  // since it was met
  CHECK(checked.one(event_at(clock_ns, EventKind::kLoss, 10)).arg == 10);
  CHECK(checked.one(event_at(clock_ns, EventKind::kLoss, UINT64_MAX)).arg == most - 10);
  CHECK(checked.one(event_at(clock_ns, EventKind::kLoss, UINT64_MAX)).arg == 0);
  CHECK(checked.refusals().clamped_losses == 2);
  CHECK(checked.checks->ledger().lost_ring == most);
  CHECK(checked.checks->ledger().balanced());
}

TEST_CASE("checked source: now is never after the clock, never goes back, and never stands still") {
  Behind checked;
  const auto now = [&](uint64_t said) {
    checked.source.now = said;
    checked.checks->drain(checked.sink);
    return checked.checks->now_ns();
  };
  const uint64_t begin = clock_ns;
  CHECK(now(begin + 5) == begin);
  clock_ns += 10;
  CHECK(now(begin + 4) == begin + 4);
  CHECK(now(0) == begin + 4);
  clock_ns += 3 * kSecond;
  CHECK(now(0) == clock_ns - CheckedSource::kMostLagNs);
}

TEST_CASE("checked source: nothing is taken from a source that said it had ended") {
  Behind checked;
  checked.source.now = EventSource::kEnded;
  checked.checks->drain(checked.sink);
  CHECK(checked.checks->now_ns() == EventSource::kEnded);
  checked.source.say(0, {event_at(clock_ns)});
  CHECK(checked.checks->drain(checked.sink) == 0);
  CHECK(checked.sink.events[0].empty());
}
