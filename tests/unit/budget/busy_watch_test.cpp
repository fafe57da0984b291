// SPDX-License-Identifier: Apache-2.0
#include "budget/busy_watch.h"

#include <doctest/doctest.h>

#include <functional>
#include <optional>

namespace compmond::run {
namespace {

constexpr uint64_t kMs = 1'000'000, kSecond = 1000 * kMs;
using Operations = std::vector<size_t>;

plan::OperationStates attached(size_t operations) {
  plan::Plan plan;
  plan.operations.resize(operations);
  for (auto& operation : plan.operations) operation.ways.resize(1);
  return plan::OperationStates(plan);
}

// A simulated target of one core. Its load is its own time per second, and per operation the calls
// that it makes in that time, at 1 µs each: slower where probes take their part. Decisions are
// carried out at once.
struct Run {
  explicit Run(std::vector<double> calls_per_s, double percent = 5, std::vector<bool> see_all = {})
      : rates(std::move(calls_per_s)),
        states(attached(rates.size())),
        watch(percent, std::move(see_all)) {}

  Seen seen(uint64_t span_ns) const {
    double wanted = load;  // of a second: its own time and that of probes
    for (size_t i = 0; i < rates.size(); ++i)
      if (!states[i].paused()) wanted += load * rates[i] * 1e-6;
    const double slower = std::min(1.0, 1 / wanted);
    Seen out;
    out.wall_ns = double(span_ns);
    out.cpu_ns = wanted * slower * out.wall_ns;
    for (const double rate : rates) {
      const bool there = !states[out.loads.size()].paused();
      const double calls = there ? load * rate * slower * out.wall_ns * 1e-9 : 0;
      out.loads.push_back({uint64_t(calls), calls * 1000});
    }
    return out;
  }

  BusyWatch::Decision look(bool alarm = false) {
    const uint64_t span = alarm ? 20 * kMs : watch.every_ns();
    now_ns += span;
    const auto decision = watch.look(seen(span), states, alarm, now_ns, {all_fit, see_all_pct});
    if (decision.whole) states.busy().spans.end_at(now_ns);
    if (!decision.take_away.empty()) states.busy().spans.begin_at(now_ns);
    for (const size_t i : decision.take_away) states.pause(i, now_ns, "too dear");
    if (decision.try_all)
      for (size_t i = 0; i < states.size(); ++i) states.come_back(i, now_ns, "");
    for (const size_t i : decision.bring_back) states.come_back(i, now_ns, "");
    if (decision.try_all) ++tries;
    return decision;
  }
  void run_for(uint64_t ns) {
    for (const uint64_t end = now_ns + ns; now_ns < end;) look();
  }

  std::vector<double> rates;  // calls in a second of its own time
  double load = 1;            // of a core, for itself
  plan::OperationStates states;
  BusyWatch watch;
  std::optional<bool> all_fit;  // what slices say
  std::optional<double> see_all_pct;
  uint64_t now_ns = kSecond;
  int tries = 0;
};

TEST_CASE("busy watch: a run is whole, and stays so while its probes fit") {
  Run run({30'000, 100});
  run.run_for(60 * kSecond);
  CHECK(run.states.busy().spans.empty());
  CHECK_FALSE(run.states[0].paused());
}

TEST_CASE("busy watch: an alarm takes the dear ones at once, and the cheap ones stay") {
  Run run({2'000'000, 1'000'000, 1000});
  const auto decision = run.look(true);
  CHECK(decision.take_away == Operations{0, 1});
  CHECK(run.states.busy().now());
  CHECK(decision.whole_pct == doctest::Approx(75).epsilon(0.02));
}

TEST_CASE("busy watch: without an alarm the budget must bind at two looks in a row") {
  Run run({200'000});
  CHECK(run.look().take_away.empty());
  CHECK(run.look().take_away == Operations{0});
}

TEST_CASE("busy watch: bursts of one look take nothing away, however often they come") {
  Run run({200'000});
  for (int round = 0; round < 20; ++round) {
    run.load = round % 2;
    run.look();
  }
  CHECK(run.states.busy().spans.empty());
}

TEST_CASE("busy watch: an alarm of one thread of many takes the dearest, though all fit") {
  Run run({40'000, 2000}, 50);
  CHECK(run.look(true).take_away == Operations{0});
}

TEST_CASE("busy watch: while it is busy all are tried, after pauses that double") {
  Run run({2'000'000, 100});
  run.look(true);
  const uint64_t busy_ns = run.now_ns;
  run.run_for(9 * kSecond);
  CHECK(run.tries == 0);
  run.run_for(2 * kSecond);
  CHECK(run.tries == 1);
  CHECK(run.states[0].paused());
  run.run_for(300 * kSecond);
  CHECK(run.tries == 5);  // 10, 30, 70, 150, 310 s
  CHECK(run.states.busy().spans.size() == 1);
  CHECK(run.states.busy().spans[0].start_ns == busy_ns);
  // All tries together cost less than the budget.
  CHECK(run.states[0].away.within_ns({busy_ns, run.now_ns}) > (run.now_ns - busy_ns) / 100 * 99);
}

TEST_CASE("busy watch: a try that shows that all fit makes it whole") {
  Run run({2'000'000});
  run.look(true);
  run.rates[0] = 20'000;
  run.run_for(11 * kSecond);
  CHECK(run.tries == 1);
  CHECK_FALSE(run.states.busy().now());
  CHECK_FALSE(run.states[0].paused());
  CHECK(run.states.busy().spans[0].length() >= 10 * kSecond);
}

TEST_CASE("busy watch: a target that became idle is whole after 10 s, whatever the pause is") {
  Run run({2'000'000});
  run.look(true);
  run.run_for(75 * kSecond);  // the next try is due at 150 s
  REQUIRE(run.states.busy().now());
  run.load = 0.0001;
  run.run_for(11 * kSecond);
  CHECK_FALSE(run.states.busy().now());
}

TEST_CASE("busy watch: a load that comes and goes changes it at most twice per pause") {
  Run run({2'000'000});
  run.load = 0;
  for (int round = 0; round < 300; ++round) {  // 1 s of load in 3
    run.load = round % 3 == 0;
    if (run.load > 0 && !run.states.busy().now()) run.look(true);
    run.run_for(kSecond);
  }
  const auto& spans = run.states.busy().spans;
  for (const Window& span : spans)
    if (span.end_ns != UINT64_MAX) CHECK(span.length() >= 10 * kSecond);
  CHECK(spans.size() <= 8);
}

TEST_CASE("busy watch: what grows while it is busy goes too") {
  Run run({2'000'000, 1000});
  run.look(true);
  REQUIRE_FALSE(run.states[1].paused());
  run.rates[1] = 200'000;
  run.look();
  CHECK(run.look().take_away == Operations{1});
  CHECK(run.states.busy().spans.size() == 1);
}

TEST_CASE("busy watch: what must see every call stays, and it is said where it cannot") {
  Run cheap({2'000'000, 15'000}, 5, {false, true});
  const auto stays = cheap.look(true);
  CHECK(stays.take_away == Operations{0});
  CHECK(stays.unseen.empty());
  Run dear({2'000'000, 100'000}, 5, {false, true});
  CHECK(dear.look(true).take_away == Operations{0});
  CHECK(dear.look().take_away.empty());
  const auto goes = dear.look();
  CHECK(goes.take_away == Operations{1});
  CHECK(goes.unseen == Operations{1});
}

TEST_CASE("busy watch: costs above the CPU time take nothing that must see all") {
  Run run({2'000'000, 15'000}, 5, {false, true});
  Seen seen = run.seen(20 * kMs);
  for (Seen::Load& load : seen.loads) load.cost_ns *= 3;  // no time is left of its own
  const auto decision = run.watch.look(seen, run.states, true, run.now_ns + 20 * kMs);
  CHECK(decision.take_away == Operations{0});
  CHECK(decision.unseen.empty());
}

TEST_CASE("busy watch: an alarm takes what must see every call only where the rest is not enough") {
  Run enough({20'000, 20'000, 20'000, 20'000, 24'000}, 50, {false, false, false, false, true});
  CHECK(enough.look(true).take_away == Operations{0, 1, 2, 3});
  Run alone({2000, 45'000}, 50, {false, true});
  const auto goes = alone.look(true);
  CHECK(goes.take_away == Operations{1, 0});
  CHECK(goes.unseen == Operations{1});
}

TEST_CASE("busy watch: what must see every call goes when it grows above half of the budget") {
  Run run({2'000'000, 10'000}, 5, {false, true});
  run.look(true);
  run.run_for(kSecond);
  REQUIRE_FALSE(run.states[1].paused());
  run.rates[1] = 32'000;
  CHECK(run.look().take_away.empty());
  CHECK(run.look().unseen == Operations{1});
}

TEST_CASE("busy watch: what must see every call is back as soon as slices say that it may be") {
  Run run({2'000'000, 100'000}, 5, {false, true});
  run.look(true);
  run.all_fit = false;
  run.see_all_pct = 2.2;
  run.run_for(20 * kSecond);
  CHECK(run.states[1].paused());
  run.rates[1] = 15'000;
  run.see_all_pct = 1.5;
  run.look();
  CHECK_FALSE(run.states[1].paused());
  CHECK(run.states[0].paused());
  CHECK(run.states.busy().now());
  run.run_for(20 * kSecond);
  CHECK_FALSE(run.states[1].paused());
  CHECK(run.tries == 0);
}

TEST_CASE("busy watch: what must see every call comes and goes once in ten seconds at most") {
  Run run({2'000'000, 100'000}, 5, {false, true});
  run.look(true);
  run.all_fit = false;
  run.see_all_pct = 1.5;  // though it is not so
  int times = 0;
  for (const uint64_t end = run.now_ns + 60 * kSecond; run.now_ns < end;)
    times += run.look().bring_back.empty() ? 0 : 1;
  CHECK(times >= 2);
  CHECK(times <= 6);
}

TEST_CASE("busy watch: what was refused meanwhile is not waited for") {
  Run run({2'000'000});
  run.look(true);
  run.states.refuse(0, "its file was replaced");
  run.look();
  CHECK_FALSE(run.states.busy().now());
}

TEST_CASE("busy watch: no try while slices say that not all would fit, one as soon as all would") {
  Run run({300'000, 100});
  run.run_for(2 * kSecond);
  REQUIRE(run.states[0].paused());
  run.all_fit = false;
  run.run_for(120 * kSecond);
  CHECK(run.tries == 0);
  run.rates[0] = 1'000;
  run.all_fit = true;
  run.run_for(kSecond);
  CHECK(run.tries == 1);
  CHECK_FALSE(run.states[0].paused());
  CHECK_FALSE(run.states.busy().now());
}

}  // namespace
}  // namespace compmond::run
