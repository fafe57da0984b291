// SPDX-License-Identifier: Apache-2.0
#include "figures/cost_check.h"

#include <doctest/doctest.h>

#include <functional>
#include <random>

#include "estimate/probe_shares.h"
#include "small_run.h"
#include "snapshot/doubt.h"

using namespace compmond;
using namespace compmond::present::test;

namespace {

constexpr uint64_t kSecond = 1000 * kMs;

// Seconds of a program of two busy CPUs at 99 Hz, of which samples tell this share as probes': with
// the scatter of such samples. What the check says of each ten.
std::vector<figures::CostShares> observed(std::mt19937_64& random, uint64_t seconds, double charged,
                                          double seen) {
  estimate::ProbeShares shares;
  std::vector<figures::CostShares> out;
  for (uint64_t second = 0; second < seconds; ++second) {
    estimate::Tile tile(second * kSecond, (second + 1) * kSecond);
    const int n = std::uniform_int_distribution(180, 205)(random);
    const int k = std::binomial_distribution<int>(n, seen)(random);
    tile.totals.time_ns = tile.totals.on_time_ns = tile.totals.probes_time_ns = kSecond;
    tile.totals.cpu_ns = tile.totals.samples.on_ns = 2 * kSecond;
    tile.totals.samples.on_samples = uint64_t(n);
    const double weight = 2e9 / n, us2 = weight / 1000 * weight / 1000, p = double(k) / n;
    tile.totals.on_square = uint64_t(us2 * n);
    estimate::Sums sums;
    sums.on_samples = uint64_t(k);
    sums.on_ns = uint64_t(weight * k);
    sums.on_variance = sums.on_moment_variance = uint64_t(us2 * n * p * (1 - p));
    if (k > 0) tile.add(estimate::Key(estimate::Kind::kInProbe, estimate::Key::kAll), sums);
    shares.add(tile);
  }
  for (const estimate::ProbeShare& one : shares.newest({}, 1000))
    out.push_back({one.interval, charged, one.in_probes.value_ns / double(one.cpu_ns),
                   one.in_probes.low_ns / double(one.cpu_ns),
                   one.in_probes.high_ns / double(one.cpu_ns)});
  return out;
}

int doubted(int runs, uint64_t seconds, const std::function<double(std::mt19937_64&)>& charged,
            const std::function<double(std::mt19937_64&)>& seen) {
  std::mt19937_64 random(11);
  int out = 0;
  for (int run = 0; run < runs; ++run) {
    const auto all = observed(random, seconds, charged(random), seen(random));
    REQUIRE(all.size() == seconds / 10);
    out += figures::check_costs(all)->doubt;
  }
  return out;
}

std::function<double(std::mt19937_64&)> about(double value, double low, double high) {
  return [=](std::mt19937_64& random) {
    return value * std::uniform_real_distribution(low, high)(random);
  };
}

// The small run goes on for 35 s, in which fa takes a tenth of each millisecond and its probes, as
// samples see them, another one.
struct ProbedRun : Run {
  explicit ProbedRun(double cost_ns) {
    for (plan::PlannedOperation& op : plan.operations) op.ways[0].engine = "uprobe";
    plan.operations[0].ways[0].site = "push";
    costs.set("uprobe", "push", plan.operations[0].ways[0].exit, {cost_ns / 2, cost_ns / 2});
    states = plan::OperationStates(plan);
    for (uint64_t ms = 101; ms < 35'000; ++ms)
      feed(0, {in(0, 900, ms * kMs), out(0, 900, ms * kMs + kMs / 5)});
    checkpoint = {};
    store.fill(checkpoint);
    checkpoint.as_of_ns = 35 * kSecond;
    tracer.open_executions(checkpoint.open);
    checkpoint.trace = tracer.ledger();

    samples.emplace(present::estimate_model_of(spec, plan));
    for (uint64_t second = 0; second < 35; ++second) {
      for (uint64_t i = 0; i < 100; ++i) {
        sampling::Sample sample;
        sample.pid = 10;
        sample.tid = 11;
        sample.time_ns = second * kSecond + i * 10 * kMs + 1;
        sample.in_probe = i % 10 == 0;
        samples->on_sample(sample);
      }
      sampling::Stretch stretch;
      stretch.start_ns = second * kSecond;
      stretch.end_ns = stretch.start_ns + kSecond;
      stretch.hz = 100;
      stretch.sees_probes = true;
      stretch.processes = {{10, kSecond}};
      samples->on_stretch(stretch);
    }
  }
  snapshot::Snapshot look() const {
    present::RunParts parts = this->parts();
    parts.samples.emplace(present::RunSamples{*samples, 100});
    const auto view = answer_view(
        parts,
        [] {
          snapshot::ViewRequest request;
          request.window = snapshot::TimeWindow{};
          return request;
        }(),
        {}, analyst);
    REQUIRE(view);
    return *view->snapshot;
  }
  std::optional<estimate::SampleStore> samples;
};

}  // namespace

TEST_CASE("cost check: in ten stationary minutes right costs are doubted less than once in fifty") {
  for (const double share : {0.03, 0.1, 0.3, 0.6})
    CHECK_MESSAGE(doubted(100, 600, about(share, 0.98, 1.02), about(share, 0.76, 1)) <= 2, share);
}

TEST_CASE("cost check: costs that are wrong by a factor of two are doubted within a minute") {
  for (const double share : {0.06, 0.1, 0.3})
    CHECK_MESSAGE(doubted(100, 60, about(2 * share, 1, 1), about(share, 0.75, 1)) >= 95, share);
  for (const double share : {0.1, 0.3, 0.6})
    CHECK_MESSAGE(doubted(100, 60, about(share / 2, 1, 1), about(share, 0.9, 1)) >= 95, share);
}

TEST_CASE("cost check: a run whose costs are right says so and marks nothing") {
  const snapshot::Snapshot seen = ProbedRun(100'000).look();
  REQUIRE(seen.health.overhead_checked);
  const auto& checked = *seen.health.overhead_checked;
  CHECK(checked.intervals == 2);  // in the first one calls were lost
  CHECK(checked.start_ns == 20 * kSecond);
  CHECK(checked.by_costs_pct == doctest::Approx(10).epsilon(0.01));
  CHECK(checked.by_samples_pct == doctest::Approx(10).epsilon(0.01));
  CHECK(checked.low_pct < 10);
  CHECK_FALSE(checked.doubt);
  CHECK(seen.health.samples->probes_cpu_ns->value_ns == doctest::Approx(3.5e9).epsilon(0.01));
}

TEST_CASE("cost check: a run whose costs are half of what samples see is marked with its reason") {
  const snapshot::Snapshot right = ProbedRun(100'000).look(), seen = ProbedRun(50'000).look();
  REQUIRE(seen.health.overhead_checked);
  CHECK(seen.health.overhead_checked->doubt);
  CHECK(seen.health.overhead_checked->apart == 2);
  CHECK(seen.components[0].figures.uncertain);
  CHECK(seen.components[0].operations[0].figures.uncertain);
  CHECK_FALSE(seen.components[2].figures.uncertain);  // nothing was taken out of it
  CHECK_FALSE(right.components[0].figures.uncertain);
  CHECK(why_uncertain(seen) == "samples see the probes cost something else");
  REQUIRE_FALSE(seen.health.notes.empty());
  CHECK(seen.health.notes.back().starts_with("probes take 10.0"));
  CHECK(tells(seen.health.notes.back(), "5.00 % by the costs"));
}

TEST_CASE("cost check: costs of more than all of the CPU time are 100 % and times are uncertain") {
  for (const bool too_much : {false, true}) {
    CAPTURE(too_much);
    Run run;
    run.checkpoint.losses.clear();
    for (plan::PlannedOperation& op : run.plan.operations)
      op.ways[0].engine = "uprobe", op.ways[0].site = "push";
    run.costs.set("uprobe", "push", run.plan.operations[0].ways[0].exit, {1000, 1000});
    // Three calls: 6 µs.
    run.processes = target::ObservedProcesses({}, too_much ? 5'000 : 60'000);
    const auto view = run.ask({});
    REQUIRE(view);
    const snapshot::Snapshot& s = *view->snapshot;
    CHECK(s.health.overhead_pct == doctest::Approx(too_much ? 100 : 10));
    CHECK(s.components[0].figures.net_real_ns < s.components[0].figures.real_ns);
    CHECK(s.components[0].figures.uncertain == too_much);
    CHECK(s.components[0].operations[0].figures.uncertain == too_much);
    CHECK(s.health.notes.empty() != too_much);
  }
}

TEST_CASE("cost check: where many records were lost times are uncertain, and all calls cost") {
  Run run;
  for (plan::PlannedOperation& op : run.plan.operations)
    op.ways[0].engine = "uprobe", op.ways[0].site = "push";
  run.costs.set("uprobe", "push", run.plan.operations[0].ways[0].exit, {1000, 1000});
  run.processes = target::ObservedProcesses({}, 60'000);
  const auto overhead = [&] { return run.ask({})->snapshot->health.overhead_pct; };
  CHECK(overhead() == doctest::Approx(10));
  run.checkpoint.capture.hits = 12;
  run.checkpoint.capture.delivered = 3;
  run.checkpoint.capture.lost_ring = run.checkpoint.trace.lost_records = 9;
  CHECK(overhead() == doctest::Approx(40));
  const snapshot::Snapshot s = *run.ask({})->snapshot;
  CHECK(s.components[0].figures.uncertain);
  CHECK(snapshot::why_uncertain(s) == "many records were lost");
  snapshot::ViewRequest before;
  before.window = snapshot::TimeWindow{0, 0, 75 * kMs};
  CHECK_FALSE(run.ask(before)->snapshot->components[0].figures.uncertain);
}
