// SPDX-License-Identifier: Apache-2.0
#include "opened.h"
#include "recorded.h"
#include "replay/replay_run.h"

using namespace compmond;
using replay::test::kMs;
using replay::test::kStart;
using replay::test::opened;
using replay::test::Recorded;
using replay::test::run_to_end;

TEST_CASE("replay: the snapshot at the end equals the live one in every figure") {
  const Recorded run;
  auto replay = opened(run.path);
  run_to_end(*replay);
  CHECK(replay->player().position().at_end);
  snapshot::Snapshot again = replay->snapshot(0, "mean", {});
  again.created = run.live.created;
  CHECK(again == run.live);
  // Of B one of 500 ms and of C one of 150 ms missed 10 and 20 ms; not the interrupted one of C.
  REQUIRE(again.slo);
  CHECK(!again.components[0].figures.slo);
  CHECK(again.components[1].figures.slo == snapshot::Slo{10 * kMs, 1, 0, 0});
  CHECK(again.components[2].figures.slo == snapshot::Slo{20 * kMs, 1, 0, 0});
  CHECK(again.slo->newest.size() == 2);
  CHECK(again.components[0].figures.closed.lossy == 1);
  CHECK(again.components[2].figures.closed.lossy == 1);
  CHECK(again.health.balanced);
}

TEST_CASE("replay: seek stands before the first later event, backwards too, whatever came before") {
  const Recorded run;
  auto replay = opened(run.path);
  CHECK(replay->player().position().time_ns == kStart);
  const auto calls_and_open = [&] {
    const snapshot::Snapshot s = replay->snapshot(0, "overall", {});
    uint64_t calls = 0, open = 0;
    for (const auto& c : s.components) {
      calls += c.figures.calls;
      open += c.figures.open;
    }
    CHECK(s.health.balanced);
    CHECK(s.window_end_ns == replay->player().position().time_ns);
    return std::pair(calls, open);
  };
  for (int round = 0; round < 2; ++round) {
    for (const auto& [ms, calls, open] : {std::tuple(1250, 5, 1), std::tuple(400, 3, 3),
                                          std::tuple(800, 3, 1), std::tuple(0, 1, 1)}) {
      CAPTURE(ms);
      replay->player().seek(kStart + uint64_t(ms) * kMs);
      CHECK(replay->player().position().time_ns == kStart + uint64_t(ms) * kMs);
      CHECK(!replay->player().position().at_end);
      CHECK(calls_and_open() == std::pair<uint64_t, uint64_t>(calls, open));
    }
    run_to_end(*replay);
    CHECK(replay->player().position().time_ns == kStart + 2000 * kMs);
  }
}

TEST_CASE("replay: the first missed objective is the one of the run, open ones count where asked") {
  const Recorded run;
  auto replay = opened(run.path);
  replay->player().seek(kStart + 400 * kMs);
  CHECK(!replay->first_missed(false));
  const auto open = replay->first_missed(true);
  REQUIRE(open);
  CHECK(open->starts_with("A/B fb has run for 150 ms, more than 10.0 ms; begun at 0.250000 s"));
  run_to_end(*replay);
  const auto first = replay->first_missed(false);
  REQUIRE(first);
  CHECK(
      *first ==
      "C fc took 150 ms, more than 20.0 ms; begun at 0.300000 s, process 100, thread 101, trace 2");
  CHECK(present::check_objectives(replay->plan(), replay->states()));
  plan::Plan counted = replay->plan();
  for (auto& op : counted.operations) op.ways[0].exit = spec::ExitMode::kEntryOnly;
  CHECK(!present::check_objectives(counted, replay->states()));
}

TEST_CASE("replay: of a part the first missed objective is one of that part") {
  const Recorded run;  // C misses at 450 ms, B at 750 ms
  const auto missed = [&](double from_s, double to_s) {
    replay::ReplayRun::Options options{.from = text::Moment{from_s}, .to = text::Moment{to_s}};
    options.exit_on_slo = true;
    auto replay = opened(run.path, options);
    replay->play(0);
    while (!replay->ended()) replay->service();
    replay->stop();
    return replay->missed_objective().value_or("none");
  };
  CHECK(missed(0.8, 0.9) == "none");
  CHECK(missed(0.1, 0.2) == "none");
  CHECK(missed(0.4, 0.8).starts_with("C fc took 150 ms"));
  CHECK(missed(0.5, 0.8).starts_with("A/B fb took 500 ms"));
}

TEST_CASE("replay: a step hands over one event more") {
  const Recorded run;
  auto replay = opened(run.path);
  const uint64_t calls[] = {1, 2, 3, 3, 3, 3, 4, 4, 5, 6};
  for (size_t i = 0; i < std::size(calls); ++i) {
    replay->player().step();
    CHECK(replay->player().position().events == i + 1);
    uint64_t sum = 0;
    for (const auto& c : replay->snapshot(0, "overall", {}).components) sum += c.figures.calls;
    CHECK(sum == calls[i]);
  }
  replay->player().step(100);
  CHECK(replay->player().position().at_end);
}

TEST_CASE("replay: at a speed the log's clock runs, and a pause holds it") {
  const Recorded run;
  auto replay = opened(run.path);
  replay->player().play(0.001);
  CHECK(!replay->player().wait(0.01));
  replay->player().pause();
  CHECK(replay->player().wait(0));
  const uint64_t held = replay->player().position().time_ns;
  CHECK(held < kStart + 1000 * kMs);
  CHECK(replay->snapshot(0, "overall", {}).window_end_ns == held);
  replay->player().play(1000);
  while (!replay->player().wait(1)) {
  }
  CHECK(replay->player().position().at_end);
  CHECK(replay->player().position().time_ns == kStart + 2000 * kMs);
}

TEST_CASE("replay: a window in the middle of the log has the part of each execution inside") {
  const Recorded run;
  auto replay = opened(run.path, {.from = text::Moment{0.2}, .to = text::Moment{0.4}});
  run_to_end(*replay);
  const snapshot::Snapshot s = replay->snapshot(0, "overall", {});
  CHECK(s.window_start_ns == kStart + 200 * kMs);
  CHECK(s.components[0].figures.raw_ns == 200 * kMs);
  CHECK(s.components[0].figures.real_ns == 50 * kMs);
  CHECK(s.components[1].figures.real_ns == 150 * kMs);
  CHECK(s.components[2].figures.raw_ns == 100 * kMs);
  // What its two calls cost, of its 40 of the 400 ms.
  CHECK(s.health.overhead_pct == doctest::Approx(200 * (double(kMs) / 3 + 0.1) / double(40 * kMs)));
}

TEST_CASE("replay: what probes cost and which are away is of the position, not of the log's end") {
  const Recorded run;  // its processes used 400 ms in 2 s
  auto replay = opened(run.path);
  const auto look = [&](uint64_t ms) {
    replay->player().seek(kStart + ms * kMs);
    return replay->snapshot(0, "overall", {});
  };
  const snapshot::Snapshot half = look(1000);
  double cost_ns = 0;
  for (const auto& c : half.components)
    cost_ns += double(c.figures.calls) * (double(kMs) / 3 + 0.1);
  CHECK(half.health.overhead_pct == doctest::Approx(100 * cost_ns / double(200 * kMs)));
  CHECK(half.health.throttled.empty());
  CHECK(look(150).health.throttled == std::vector<std::string>{"fb"});
  CHECK_FALSE(look(50).components[1].figures.observed_share);
}

TEST_CASE("replay: of a part the counts are up to its end, and it is said which are") {
  const Recorded run;
  auto replay = opened(run.path, {.from = text::Moment{0.1}, .to = text::Moment{0.15}});
  replay->play(0);
  while (!replay->ended()) replay->service();
  const snapshot::Snapshot s = replay->snapshot(0, "overall", {});
  CHECK(s.window_end_ns == kStart + 150 * kMs);
  CHECK(s.now_ns == kStart + 1150 * kMs);  // events of other threads may come a second late
  CHECK(s.health.delivered < run.live.health.delivered);
  CHECK(s.health.throttled.empty());  // it is back by then
  CHECK(s.health.overhead_pct == 0);  // no call begins in it
  CHECK(s.health.notes.at(0).ends_with("of the run up to 1.1 s"));
}

TEST_CASE("replay: a view has the figures of the snapshot, and says where the replay stands") {
  const Recorded run;
  auto replay = opened(run.path);
  replay->player().seek(kStart + 800 * kMs);
  snapshot::ViewRequest request;
  request.id = 5;
  auto view = *replay->view(request);
  CHECK(view.id == 5);
  CHECK(view.run.start_ns == kStart);
  CHECK(view.run.now_ns == kStart + 800 * kMs);
  CHECK(view.run.end_ns == kStart + 2000 * kMs);
  CHECK(view.run.replay);
  CHECK(view.run.live);
  CHECK(view.run.paused);
  snapshot::Snapshot direct = replay->snapshot(0, "overall", {});
  direct.created = view.snapshot->created;
  CHECK(*view.snapshot == direct);

  replay->player().step();  // the view is not of before
  CHECK(replay->view(request)->snapshot->components[0].figures.calls ==
        replay->snapshot(0, "overall", {}).components[0].figures.calls);
  run_to_end(*replay);
  view = *replay->view(request);
  CHECK(!view.run.live);
  CHECK(!view.run.paused);
  direct = replay->snapshot(0, "overall", {});
  direct.created = view.snapshot->created;
  CHECK(*view.snapshot == direct);
  replay->player().seek(kStart);
  CHECK(replay->view(request)->run.now_ns == kStart);
  CHECK(replay->view(request)->run.live);
  request.metric = "none";
  CHECK(!replay->view(request));
}

TEST_CASE("replay: a consumer gets a checkpoint at its rhythm, whether or not somebody looks") {
  const Recorded run;
  auto replay = opened(run.path);
  std::vector<pipeline::SharedCheckpoint> taken, rare;
  replay->player().publisher().add([&](const auto& one) { taken.push_back(one); }, 1);
  replay->player().publisher().add([&](const auto& one) { rare.push_back(one); });
  replay->service();
  CHECK(taken.empty());  // nothing begins before it is moved or looked at
  run_to_end(*replay);
  for (int i = 0; i < 3; ++i) replay->service();
  REQUIRE(taken.size() == 3);
  CHECK(taken[2]->as_of_ns == kStart + 2000 * kMs);
  CHECK(taken == rare);
  snapshot::Snapshot again = replay->snapshot(0, "mean", {});
  again.created = run.live.created;
  CHECK(again == run.live);
}

TEST_CASE("replay: a consumer that asked for no rhythm makes no checkpoints") {
  const Recorded run;
  auto replay = opened(run.path);
  size_t taken = 0;
  replay->player().publisher().add([&](const auto&) { ++taken; });
  run_to_end(*replay);
  for (int i = 0; i < 3; ++i) replay->service();
  CHECK(taken == 0);
  replay->snapshot(0, "mean", {});
  CHECK(taken == 1);
}
