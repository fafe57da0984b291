// SPDX-License-Identifier: Apache-2.0
#include "record/merge.h"

#include <doctest/doctest.h>

#include "collected.h"
#include "core/limits.h"
#include "scripted_source.h"

using namespace compmond::record;

namespace {

const ThreadInfo kWorker{7, 8, 9, "worker"};

struct Two {
  Two() {
    a.meet(0, kWorker);
    b.meet(0, kWorker);
  }
  size_t drain(uint64_t now_a, uint64_t now_b) {
    a.now = now_a;
    b.now = now_b;
    return merge.drain(sink);
  }
  std::vector<uint64_t> times(ThreadId thread = 0) {
    std::vector<uint64_t> out;
    for (const Event& event : sink.events[thread]) out.push_back(event.time_ns);
    return out;
  }

  ScriptedSource a, b;
  Merge merge{{&a, &b}};
  Collected sink;
};

using Times = std::vector<uint64_t>;

}  // namespace

TEST_CASE("merge: what one source says goes straight through, and its now is the merge's") {
  ScriptedSource only;
  Merge merge({&only});
  Collected sink;
  only.meet(0, kWorker);
  only.say(0, {event_at(50), event_at(20)});
  only.now = 10;
  CHECK(merge.drain(sink) == 2);
  CHECK(sink.events[0].size() == 2);
  CHECK(merge.now_ns() == 10);
  CHECK(merge.ledger().pending == 0);
}

TEST_CASE("merge: a thread of two sources is one thread") {
  Two two;
  two.b.meet(1, {7, 8, 10, "another"});  // a later thread with the same numbers
  two.drain(0, 0);
  REQUIRE(two.sink.threads.size() == 2);
  CHECK(two.sink.threads[0].name == "worker");
  CHECK(two.sink.threads[1].name == "another");
}

TEST_CASE("merge: events wait for the source that lags") {
  Two two;
  two.a.say(0, {event_at(10), event_at(30)});
  two.drain(40, 5);
  CHECK(two.times().empty());
  CHECK(two.merge.now_ns() == 5);
  CHECK(two.merge.ledger().delivered == 0);
  CHECK(two.merge.ledger().pending == 2);
  two.b.say(0, {event_at(20)});
  two.drain(50, 30);
  CHECK(two.times() == Times{10, 20});  // the third is not below
  CHECK(two.drain(50, 50) == 1);
  CHECK(two.times() == Times{10, 20, 30});
  CHECK(two.merge.ledger().balanced());
  CHECK(two.merge.ledger().pending == 0);
}

TEST_CASE("merge: a source that ended holds nobody up") {
  Two two;
  two.a.say(0, {event_at(10)});
  two.drain(11, EventSource::kEnded);
  CHECK(two.times() == Times{10});
  CHECK(two.merge.now_ns() == 11);
  two.b.say(0, {event_at(12)});
  two.drain(EventSource::kEnded, EventSource::kEnded);
  CHECK(two.times() == Times{10, 12});
}

TEST_CASE("merge: what comes later than promised goes out at once, and now stays") {
  Two two;
  two.drain(100, 100);
  two.a.say(0, {event_at(50, EventKind::kLoss, 3)});
  two.drain(90, 120);
  CHECK(two.times() == Times{50});
  CHECK(two.merge.now_ns() == 100);
}

TEST_CASE("merge: times that run backwards in a source do not change what it says in a row") {
  Two two;
  two.a.say(0, {event_at(30), event_at(10)});
  two.b.say(0, {event_at(20), event_at(40)});
  two.drain(50, 50);
  CHECK(two.times() == Times{20, 30, 10, 40});
}

TEST_CASE("merge: a context stays with its entry, also when that comes later") {
  Two two;
  two.a.say(0, {event_at(10, EventKind::kContext)});
  two.b.say(0, {event_at(11)});
  two.drain(12, 20);
  CHECK(two.times() == Times{11});
  two.a.say(0, {event_at(12), event_at(13)});
  two.drain(20, 20);
  CHECK(two.times() == Times{11, 10, 12, 13});
}

TEST_CASE("merge: a context whose entry never comes goes out at the end") {
  Two two;
  two.a.say(0, {event_at(10, EventKind::kContext)});
  two.drain(20, 20);
  CHECK(two.times().empty());
  two.drain(EventSource::kEnded, EventSource::kEnded);
  CHECK(two.times() == Times{10});
}

TEST_CASE("merge: what is said of a thread that is gone is of the one that another source knows") {
  for (const bool known_before : {false, true}) {
    Two two;
    if (known_before) {
      two.a.meet(1, {7, 20, 5, "brief"});
      two.drain(1, 1);
    }
    two.b.meet(1, {0, 20, 0, ""});
    two.b.say(1, {event_at(10), event_at(11, EventKind::kExit)});
    if (!known_before) two.a.meet(1, {7, 20, 5, "brief"});
    two.a.say(1, {event_at(9), event_at(12, EventKind::kThreadExit)});
    two.drain(30, 11);
    two.b.say(1, {});
    two.drain(30, 30);
    REQUIRE(two.sink.threads.size() == 2);
    REQUIRE(two.sink.threads.contains(1 + !known_before));
    const ThreadId brief = known_before ? 1 : 2;
    CHECK(two.sink.threads[brief].name == "brief");
    CHECK(two.times(brief) == Times{9, 10, 11, 12});
    CHECK(two.merge.ledger().balanced());
    CHECK(two.merge.ledger().pending == 0);
  }
}

TEST_CASE("merge: what is said of a thread that is gone and that nobody knows ends with it") {
  Two two;
  two.b.meet(1, {0, 20, 0, ""});
  two.b.say(1, {event_at(10)});
  two.drain(30, 30);
  REQUIRE(two.sink.threads.contains(1));
  CHECK(two.times(1) == Times{10, 10});
  CHECK(two.sink.events[1].back().kind == EventKind::kThreadExit);
  two.b.say(1, {event_at(11)});  // late news
  two.drain(40, 40);
  CHECK(two.times(1) == Times{10, 10, 11});
  CHECK(two.merge.ledger().balanced());
  CHECK(two.merge.ledger().pending == 0);
}

TEST_CASE("merge: who is nobody's unless another source knows it is not told of") {
  Two two;
  two.b.meet(1, {0, 20, 0, "", true});
  two.b.say(1, {event_at(10)});
  two.a.meet(1, {7, 21, 5, "brief"});
  two.b.meet(2, {0, 21, 0, "", true});
  two.b.say(2, {event_at(11)});
  two.drain(30, 30);
  two.b.say(1, {event_at(12)});  // late news
  two.drain(40, 40);
  std::vector<uint32_t> numbers;
  for (const auto& [id, info] : two.sink.threads) numbers.push_back(info.tid);
  CHECK(numbers == std::vector<uint32_t>{8, 21});
  CHECK(two.merge.ledger().pending == 0);
}

TEST_CASE("merge: numbers of a thread that ended are not used again") {
  Two two;
  two.a.say(0, {event_at(10), event_at(11, EventKind::kThreadExit)});
  two.drain(20, 20);
  two.a.meet(1, kWorker);
  two.a.say(1, {event_at(21)});
  two.b.say(0, {event_at(22)});  // late news of the one that ended
  two.drain(30, 30);
  CHECK(two.times(0) == Times{10, 11, 22});
  CHECK(two.times(1) == Times{21});
}

TEST_CASE("merge: beyond its bound nothing waits for a source that stands still") {
  Two two;
  const std::vector<Event> many(compmond::limits::kMergedEvents, event_at(10));
  two.a.say(0, many);
  two.drain(20, 5);
  CHECK(two.times().empty());
  two.a.say(0, {event_at(11)});
  two.drain(20, 5);
  CHECK(two.times().size() == many.size() + 1);
  CHECK(two.merge.now_ns() == 5);
}
