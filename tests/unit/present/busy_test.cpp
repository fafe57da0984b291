// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "sampled_run.h"

using namespace compmond;
using namespace compmond::present::test;
using snapshot::Estimated;

namespace {

// Whether some component is shown as one whose probes were away for a part of the window.
bool tells_of_absence(const snapshot::Snapshot& s) {
  return std::ranges::any_of(s.components, [](const snapshot::Component& c) {
    return c.figures.observed_share && seen_in_part(c.figures);
  });
}

}  // namespace

TEST_CASE("busy: where probes were away samples tell the times of all and calls are those seen") {
  const snapshot::Snapshot s = BusyRun().look({});
  REQUIRE(tells_of_absence(s));
  CHECK_FALSE(knows_no_calls(s));
  const snapshot::Figures &a = s.components[0].figures, &b = s.components[1].figures,
                          &c = s.components[2].figures;
  CHECK(shown_real_ns(b) == doctest::Approx(50 * kMs));
  CHECK(shown_real_ns(c) == doctest::Approx(50 * kMs));
  CHECK(b.hotness == doctest::Approx(100));
  CHECK(c.hotness == doctest::Approx(100));
  CHECK(a.hotness == 0);
  CHECK(b.at_least);
  CHECK(b.calls == 1);
  CHECK(b.observed_share == doctest::Approx(0.6));
  CHECK(b.estimated->raw_ns->value_ns == doctest::Approx(50 * kMs));
  CHECK(b.evidence->raw == snapshot::EvidenceKind::kSamples);
  CHECK(b.evidence->calls == snapshot::EvidenceKind::kProbes);
  CHECK_FALSE(c.observed_share);
  CHECK(s.components[1].operations[0].figures.observed_share == doctest::Approx(0.6));
  CHECK(s.components[0].subtree.estimated->net_real_ns->value_ns == doctest::Approx(50 * kMs));
}

TEST_CASE("busy: threads that samples tell of have the names that probes met them by") {
  const snapshot::Snapshot s = BusyRun().look({});
  REQUIRE(s.threads.size() == 1);
  CHECK(s.threads[0].estimated);
  CHECK(s.threads[0].name == "t");
}

TEST_CASE("busy: probes of a component were there when those of all its operations were") {
  BusyRun run;  // its second operation is away from 40 to 80 ms
  run.plan.operations[2].component = 1;
  run.states.pause(2, 0, "too dear");
  run.states.come_back(2, 40 * kMs, "back");
  run.states.pause(2, 70 * kMs, "too dear");
  const snapshot::Snapshot s = run.look({0, 0, 100 * kMs});
  const snapshot::Component& both = s.components[1];
  REQUIRE(both.operations.size() == 2);
  CHECK(both.operations[0].figures.observed_share == doctest::Approx(0.6));
  CHECK(both.operations[1].figures.observed_share == doctest::Approx(0.3));
  CHECK(both.figures.observed_share == doctest::Approx(0));
  CHECK_FALSE(s.components[0].figures.observed_share);
  REQUIRE_FALSE(s.health.notes.empty());
  CHECK(s.health.notes.front().find("2 of 3 operations from 30 % to 60 % of the time") !=
        std::string::npos);
}

TEST_CASE("busy: raw times of what was never away stay exact unless records were lost") {
  BusyRun run;
  snapshot::Snapshot s = run.look({0, 0, 60 * kMs});
  CHECK_FALSE(s.components[0].figures.at_least);
  CHECK_FALSE(s.components[0].figures.estimated->raw_ns);
  CHECK(s.components[0].figures.raw_ns == 50 * kMs);
  CHECK(s.components[0].figures.evidence->raw == snapshot::EvidenceKind::kProbes);
  CHECK(s.components[0].figures.evidence->real == snapshot::EvidenceKind::kSamples);
  s = run.look({});  // of 80 ms nine are missing
  CHECK(s.components[0].figures.estimated->raw_ns->value_ns == doctest::Approx(100 * kMs));
}

TEST_CASE("busy: what is hot is what is shown, and that is no longer than the exact raw time") {
  BusyRun run;
  run.samples.emplace(present::estimate_model_of(run.spec, run.plan));
  run.samples->on_image({sampling::kFirstFile, "/main", 8, 100, ""});
  for (uint64_t i = 0; i < 12; ++i) run.sample((i + 1) * 5 * kMs - 1, {1u});
  run.stretch(0, 60, true, 60);
  const snapshot::Snapshot s = run.look({0, 0, 60 * kMs});
  const snapshot::Figures& a = s.components[0].figures;
  CHECK(a.raw_ns == 50 * kMs);
  CHECK(a.hotness == 100);
  CHECK(a.ranked == 50 * kMs);
  CHECK(s.heat->full == 50 * kMs);
}

TEST_CASE("busy: who calls whom is told by stacks for the callers of what was away are gone") {
  const snapshot::Snapshot s = BusyRun().look({});
  std::string edges;
  for (const snapshot::Edge& e : s.edges) {
    CHECK_FALSE(e.seen);
    edges += e.from.value_or("outside") + " > " + e.to + "\n";
  }
  CHECK(edges == "A > A/B\nA > C\noutside > A\n");
}

TEST_CASE("busy: a window before the probes went is exact and so is one after they came back") {
  const BusyRun run;
  for (const auto& [from, to] : {Ms{0, 40}, Ms{80, 100}}) {
    const snapshot::Snapshot s = run.look({0, from * kMs, to * kMs});
    CHECK_FALSE(tells_of_absence(s));
    CHECK_FALSE(rests_on_samples(s));
    CHECK_FALSE(s.components[1].figures.observed_share);
  }
  CHECK(tells_of_absence(run.look({0, 0, 41 * kMs})));
  CHECK(tells_of_absence(run.look({0, 79 * kMs, 100 * kMs})));
}

TEST_CASE("busy: a window that follows ends where samples are known while probes are away") {
  BusyRun run;
  run.run_on();
  CHECK(window_ms(run.look({0.06, 0, 0})) == Ms{90, 150});
  run.states.pause(1, 120 * kMs, "too dear");
  CHECK(window_ms(run.look({0.06, 0, 0})) == Ms{40, 100});
}

TEST_CASE("busy: the strip is of samples as the figures are") {
  CHECK(BusyRun().strip_ms(4) == Rows{{0, 0, 0, 0}, {25, 25, 0, 0}, {0, 0, 25, 25}});
}

TEST_CASE("busy: a metric of calls makes nothing hot and says why") {
  BusyRun run;
  snapshot::ViewRequest request;
  request.metric = "calls";
  request.window = snapshot::TimeWindow{0, 0, 100 * kMs};
  const auto view = run.ask(request);
  REQUIRE(view);
  for (const snapshot::Component& c : view->snapshot->components) CHECK(c.figures.hotness == 0);
  const auto& notes = view->snapshot->health.notes;
  REQUIRE(notes.size() == 2);
  CHECK(notes[1] ==
        "the metric 'calls' needs calls, which were not all seen in this window: nothing is hot by "
        "it");
  CHECK(notes[0] ==
        "busy: time from samples; calls of 1 of 3 operations from 60 % of the time. "
        "Exact: --allow-patching, --max-overhead off, or fewer operations");
  run.states.busy().whole_pct = 97;  // of the CPU time that there was: most was the probes' own
  CHECK(run.ask(request)->snapshot->health.notes[0].ends_with(
      "Exact: --allow-patching, --max-overhead off (> 90 %), or fewer operations"));
}

namespace {

// What the busy line says is to be done.
std::string remedy_of(const BusyRun& run) {
  const std::string note = run.look({0, 0, 100 * kMs}).health.notes.front();
  return note.substr(note.find("Exact"));
}

}  // namespace

TEST_CASE("busy: the price of seeing all has in it what watching exceptions and jumps takes") {
  BusyRun run;
  for (plan::PlannedOperation& op : run.plan.operations) {
    op.ways[0].engine = "uprobe";
    run.costs.set("uprobe", op.ways[0].site, op.ways[0].exit, {300, 300});
  }
  plan::Busy& busy = run.states.busy();
  busy.whole_pct = 20;
  const std::string without =
      "Exact: --allow-patching (≈ 1 %), --max-overhead off (≈ 20 %), or fewer operations";
  CHECK(remedy_of(run) == without);
  run.plan.transfers.push_back({Transfer::kThrow, -1, "_Unwind_RaiseException", {{}}});
  CHECK(remedy_of(run) == "Exact: --allow-patching, --max-overhead off, or fewer operations");
  busy.transfers_pct = 0;
  CHECK(remedy_of(run) == without);
  busy.transfers_pct = 60;
  CHECK(remedy_of(run) ==
        "Exact: --allow-patching (≈ 60 %), --max-overhead off (≈ 64 %), or fewer operations");
  busy.budget_pct = 5;
  CHECK(
      remedy_of(run) ==
      "Exact: --engine in-process --allow-patching --max-overhead off (≈ 60 %), --max-overhead off "
      "(≈ 64 %), or fewer operations");
  busy.transfers_pct = 96;
  CHECK(remedy_of(run).starts_with(
      "Exact: --engine in-process --allow-patching --max-overhead off (> 90 %)"));
  run.plan.transfers[0].ways[0].refused = true;  // nothing watches them
  CHECK(remedy_of(run) == without);
  busy.whole_pct = 10;
  CHECK(remedy_of(run).starts_with("Exact: --allow-patching (< 1 %), --max-overhead off (≈ 10 %)"));
}

TEST_CASE("busy: what tells more than can be taken is not called exact") {
  BusyRun run;
  plan::Busy& busy = run.states.busy();
  for (plan::PlannedOperation& op : run.plan.operations) {
    op.ways[1].engine = "another";
    op.ways[1].code.clear();
  }
  busy.whole_pct = 7;
  busy.whole_calls_s = 1'070'000;  // of which 93 % are fewer than a million
  busy.whole_calls_least_s = 900'000;
  CHECK(remedy_of(run) == "Exact: --max-overhead off (≈ 7 %), or fewer operations");
  busy.whole_calls_s = 2'200'000;
  CHECK(remedy_of(run) ==
        "Exact: --max-overhead off (≈ 7 %; calls that are lost are counted), or fewer operations");
  busy.whole_calls_least_s = 2'160'000;  // of which 93 % are more than two million
  CHECK(remedy_of(run) ==
        "Exact: fewer operations. More calls: --max-overhead off (≈ 7 %; some calls will be lost, "
        "and counted)");
  for (plan::PlannedOperation& op : run.plan.operations) {
    op.ways[1].engine = op.ways[0].engine;
    run.costs.set(op.ways[0].engine, op.ways[0].site, op.ways[0].exit, {300, 300});
  }
  busy.whole_pct = 50;
  busy.whole_calls_s = busy.whole_calls_least_s = 2'200'000;  // slowed by half, and hardly
  CHECK(remedy_of(run) ==
        "Exact: --max-overhead off (≈ 50 %; calls that are lost are counted), or fewer operations. "
        "More calls: --allow-patching (≈ 5 %; some calls will be lost, and counted)");
  busy.whole_calls_s = 1'900'000;
  busy.whole_calls_least_s = 1'100'000;
  CHECK(
      remedy_of(run) ==
      "Exact: --allow-patching (≈ 5 %; calls that are lost are counted), --max-overhead off (≈ 50 "
      "%), or fewer operations");
}

TEST_CASE("busy: where probes were away for a moment although no budget binds it is not said") {
  BusyRun run;
  run.states.busy().spans.clear();
  const snapshot::Snapshot s = run.look({0, 0, 100 * kMs});
  REQUIRE(tells_of_absence(s));
  CHECK(s.health.notes.front() ==
        "probes were away for a moment: time from samples; calls of 1 of 3 operations from 60 % of "
        "the time");
}

TEST_CASE("busy: the executions of a window tell when probes were away") {
  BusyRun run;
  run.states.pause(1, 90 * kMs, "too dear");
  snapshot::ViewRequest request;
  request.window = snapshot::TimeWindow{0, 50 * kMs, 200 * kMs};
  request.executions.emplace();
  const auto view = run.ask(request);
  REQUIRE(view);
  using Away = snapshot::ExecutionsView::Away;
  CHECK(view->executions->away ==
        std::vector<Away>{{"A/B", 50 * kMs, 80 * kMs}, {"A/B", 90 * kMs, 100 * kMs}});
}

TEST_CASE("busy: what probes saw all the while and was never called is a zero, not a bound") {
  BusyRun run;
  run.checkpoint.operations[2] = {};
  snapshot::Snapshot s = run.look({0, 0, 50 * kMs});  // C begins later
  const snapshot::Figures& none = s.components[2].figures;
  CHECK(none.calls == 0);
  CHECK_FALSE(times_estimated(none));
  CHECK(none.estimated->cpu_ns->high_ns == 0);
  CHECK(none.evidence->real == snapshot::EvidenceKind::kProbes);
  CHECK(rests_on_samples(s));
}

TEST_CASE("busy: no own time goes beyond the raw time that probes saw") {
  const snapshot::Snapshot s = BusyRun().look({0, 0, 60 * kMs});
  const snapshot::Figures& a = s.components[0].figures;
  REQUIRE_FALSE(a.estimated->raw_ns);
  for (const auto own : {&Estimated::net_real_ns, &Estimated::cpu_ns, &Estimated::waiting_ns})
    CHECK((*a.estimated.*own)->high_ns <= double(a.raw_ns));
  // Of windows so short that chance may take too many.
  int at_raw = 0;
  for (uint64_t start = 0; start < 100; start += 5) {
    const snapshot::Snapshot few = BusyRun().look({0, start * kMs, (start + 13) * kMs});
    for (const snapshot::Component& c : few.components) {
      if (!c.figures.estimated || c.figures.estimated->raw_ns) continue;
      const auto& net = c.figures.estimated->net_real_ns;
      if (!net || net->value_ns <= 0) continue;
      CHECK(net->low_ns < net->value_ns);
      if (net->value_ns < double(c.figures.raw_ns)) continue;
      CHECK_FALSE(net->at_least);
      ++at_raw;
    }
  }
  CHECK(at_raw > 0);
}

TEST_CASE("busy: beside the executions of a window stands what samples tell of it") {
  const BusyRun run;
  snapshot::ViewRequest request;
  request.executions.emplace().pixels = 24;  // four columns
  for (const auto& [from, to] : {Ms{0, 100}, Ms{0, 40}}) {
    request.window = snapshot::TimeWindow{0, from * kMs, to * kMs};
    const auto view = run.ask(request);
    REQUIRE(view);
    std::string told;
    for (const auto& [component, real_ns] : view->executions->sampled) {
      told += component;
      for (const uint64_t ns : real_ns) told += " " + std::to_string((ns + kMs / 2) / kMs);
      told += "\n";
    }
    CHECK(told == (to == 40 ? "" : "A/B 25 25 0 0\nC 0 0 25 25\n"));
  }
}
