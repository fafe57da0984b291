// SPDX-License-Identifier: Apache-2.0
#include "figures/executions.h"

#include <doctest/doctest.h>

#include <map>

#include "random_scene.h"

using namespace compmond;
using namespace compmond::figures;
using trace::Execution;
using trace::in;
using trace::out;

namespace {

constexpr size_t kAll = 1'000'000;

// (operation, thread) -> executions, raw and real time.
struct Sum {
  uint64_t count = 0, raw_ns = 0, real_ns = 0;
  bool operator==(const Sum&) const = default;
};
using Sums = std::map<std::pair<OperationId, uint32_t>, Sum>;

void add(Sums& sums, const Execution& e) {
  Sum& sum = sums[{e.op, e.thread}];
  ++sum.count;
  sum.raw_ns += e.end_ns - e.start_ns;
  sum.real_ns += e.end_ns - e.start_ns - e.nested_ns;
}

Sums sums_of(const Executions& found) {
  Sums out;
  for (const Single& single : found.singles) add(out, single.execution);
  for (const Fold& fold : found.folds) {
    Sum& sum = out[{fold.op, fold.thread}];
    sum.count += fold.count;
    sum.raw_ns += fold.raw_ns;
    sum.real_ns += fold.real_ns;
  }
  return out;
}

bool meets(const Execution& e, Window window, uint64_t now) {
  const bool ends = window.end_ns < now;
  return (!ends || e.start_ns < window.end_ns) &&
         (e.end_ns > window.start_ns || e.start_ns >= window.start_ns);
}

uint64_t length(const Single& s) { return s.execution.end_ns - s.execution.start_ns; }

}  // namespace

TEST_CASE("executions: with room for all, none is missing and none is there twice") {
  CHECK(rc::check([](uint16_t at, uint16_t span, uint8_t pixels, uint8_t shortest) {
    const RandomRun s(*random_script(400));
    const uint64_t begin = at % (s.now + 1);
    const Window window{begin, begin + span};
    const history::Checkpoint checkpoint = s.checkpoint(s.now);
    Filter filter;
    filter.min_duration_ns = shortest % 40;
    const Executions found =
        executions(s.store, checkpoint, s.model, window, 1 + pixels, kAll, filter);
    Sums expected;
    for (const Execution& e : s.all(checkpoint))
      if (meets(e, window, s.now) && e.end_ns - e.start_ns >= filter.min_duration_ns)
        add(expected, e);
    RC_ASSERT(sums_of(found) == expected);
    RC_ASSERT(found.left_out == 0u);
    RC_ASSERT(!found.partial);

    const uint64_t pixel = span / (1 + pixels);
    for (const Fold& fold : found.folds) {
      RC_ASSERT(fold.count >= 2u);
      RC_ASSERT(fold.raw_ns <= fold.count * pixel);
      uint64_t inside = 0;
      for (const Execution& e : s.closed)
        inside += e.op == fold.op && e.thread == fold.thread && e.start_ns >= fold.start_ns &&
                  e.end_ns <= fold.end_ns && e.end_ns - e.start_ns < pixel;
      RC_ASSERT(inside >= fold.count);
    }
  }));
}

TEST_CASE("executions: beyond the limit the shortest ones go, and are counted") {
  CHECK(rc::check([](uint8_t room, uint8_t pixels) {
    const RandomRun s(*random_script(300));
    const history::Checkpoint checkpoint = s.checkpoint(s.now);
    const Window window{0, s.now};
    const size_t limit = 1 + room;
    const auto ask = [&](size_t most) {
      return executions(s.store, checkpoint, s.model, window, 1 + pixels, most);
    };
    const Executions all = ask(kAll), some = ask(limit);
    const auto shown = [](const Executions& e) { return e.singles.size() + e.folds.size(); };
    RC_ASSERT(shown(some) == std::min(limit, shown(all)));
    uint64_t count = 0, count_all = 0, shortest = UINT64_MAX;
    for (const auto& [key, sum] : sums_of(some)) count += sum.count;
    for (const auto& [key, sum] : sums_of(all)) count_all += sum.count;
    RC_ASSERT(count + some.left_out == count_all);
    for (const Single& single : some.singles) shortest = std::min(shortest, length(single));
    for (const Fold& fold : some.folds) shortest = std::min(shortest, fold.end_ns - fold.start_ns);
    size_t longer = 0;
    for (const Single& single : all.singles) longer += length(single) > shortest;
    for (const Fold& fold : all.folds) longer += fold.end_ns - fold.start_ns > shortest;
    RC_ASSERT(longer <= limit);
  }));
}

TEST_CASE("executions: neighbours shorter than a pixel fold, distant ones and long ones do not") {
  Scene scene({0, 1}, {-1, -1});
  std::vector<record::Event> events;
  for (uint64_t start : {0, 10, 20, 500, 510}) {
    events.push_back(in(0, 900, start));
    events.push_back(out(0, 900, start + 5));
  }
  events.push_back(in(0, 900, 600));
  events.push_back(out(0, 900, 700));
  events.push_back(in(1, 900, 710));
  events.push_back(out(1, 900, 711));
  scene.feed(0, events);
  const Executions found =
      executions(scene.store, scene.checkpoint(1000), scene.model, {0, 1000}, 50, kAll);
  REQUIRE(found.folds.size() == 2);
  CHECK(std::tuple(found.folds[0].start_ns, found.folds[0].end_ns, found.folds[0].count,
                   found.folds[0].raw_ns) == std::tuple(0u, 25u, 3u, 15u));
  CHECK(std::tuple(found.folds[1].start_ns, found.folds[1].end_ns, found.folds[1].count) ==
        std::tuple(500u, 515u, 2u));
  REQUIRE(found.singles.size() == 2);  // the long one, and one without a neighbour
  CHECK(found.singles[0].execution.start_ns == 600);
  CHECK(found.singles[1].execution.op == 1);
}

TEST_CASE("executions: an open one is never folded, lasts until now, and has its real time") {
  Scene scene({0, 1}, {-1, -1});
  scene.feed(0, {in(0, 900, 100), in(1, 800, 130), out(1, 800, 150), in(1, 800, 170)});
  const Executions found =
      executions(scene.store, scene.checkpoint(200), scene.model, {0, 200}, 1, kAll);
  REQUIRE(found.singles.size() == 3);
  const auto of = [&](size_t i) {
    const Single& s = found.singles[i];
    return std::tuple(s.open, s.execution.start_ns, s.execution.end_ns, s.real_ns());
  };
  CHECK(of(0) == std::tuple(true, 100u, 200u, 50u));
  CHECK(of(1) == std::tuple(false, 130u, 150u, 20u));
  CHECK(of(2) == std::tuple(true, 170u, 200u, 30u));
}

TEST_CASE("newest executions: the open ones and those that closed last, within the window") {
  CHECK(rc::check([](uint8_t most, uint8_t component) {
    const RandomRun s(*random_script(400));
    const history::Checkpoint checkpoint = s.checkpoint(s.now);
    Filter filter;
    filter.components = {int(component % s.model.parent_of.size())};
    const Executions all = executions(s.store, checkpoint, s.model, {0, s.now}, 1, kAll, filter);
    const Executions found =
        newest_executions(s.store, checkpoint, s.model, {0, s.now}, 1u + most, filter);
    uint64_t count = 0, open = 0;
    for (const auto& [key, sum] : sums_of(all)) count += sum.count;
    for (const Single& single : all.singles) open += single.open;
    RC_ASSERT(found.singles.size() == std::min<uint64_t>(count, 1u + most));
    uint64_t found_open = 0;
    for (const Single& single : found.singles) found_open += single.open;
    RC_ASSERT(found_open == std::min<uint64_t>(open, 1u + most));
    for (size_t i = 1; i < found.singles.size(); ++i)
      RC_ASSERT(found.singles[i - 1].execution.start_ns <= found.singles[i].execution.start_ns);
  }));
}

TEST_CASE("newest executions: are found far back among many others") {
  Scene scene({0, 1}, {-1, -1});
  std::vector<record::Event> events = {in(1, 900, 1), out(1, 900, 2)};
  for (uint64_t i = 0; i < 100'000; ++i) {
    events.push_back(in(0, 900, 10 + 2 * i));
    events.push_back(out(0, 900, 11 + 2 * i));
  }
  scene.feed(0, events);
  const history::Checkpoint checkpoint = scene.checkpoint(300'000);
  const auto find = [&](OperationId op, Window window) {
    return newest_executions(scene.store, checkpoint, scene.model, window, 50, {{}, {}, {op}, 0})
        .singles;
  };
  REQUIRE(find(1, {0, 300'000}).size() == 1);
  REQUIRE(find(0, {0, 300'000}).size() == 50);
  CHECK(find(0, {0, 300'000}).back().execution.start_ns == 10 + 2 * 99'999);
  REQUIRE(find(0, {0, 50'000}).size() == 50);
  CHECK(find(0, {0, 50'000}).back().execution.start_ns == 49'998);
}

TEST_CASE("executions: a window older than what is retained is partial") {
  Scene scene({0}, {-1}, 0);
  for (uint64_t i = 0; i < 300; ++i) {
    std::vector<record::Event> events;
    for (uint64_t k = 0; k < 1000; ++k) {
      const uint64_t at = (i * 1000 + k) * 10;
      events.push_back(in(0, 900, at));
      events.push_back(out(0, 900, at + 5));
    }
    scene.feed(0, events);
  }
  const history::Checkpoint checkpoint = scene.checkpoint(3'000'000);
  CHECK(executions(scene.store, checkpoint, scene.model, {0, 3'000'000}, 1, kAll).partial);
  CHECK_FALSE(
      executions(scene.store, checkpoint, scene.model, {2'990'000, 3'000'000}, 1, kAll).partial);
}
