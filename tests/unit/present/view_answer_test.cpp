// SPDX-License-Identifier: Apache-2.0
#include "present/view_answer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "present/snapshot_builder.h"
#include "small_run.h"
#include "snapshot/doubt.h"

using namespace compmond;
using namespace compmond::present::test;
using snapshot::ViewRequest;

namespace {

uint64_t total(const std::vector<uint64_t>& row) {
  return std::accumulate(row.begin(), row.end(), uint64_t{0}) / kMs;
}

std::vector<uint64_t> calls(const snapshot::View& view) {
  std::vector<uint64_t> out;
  for (const auto& component : view.snapshot->components) out.push_back(component.figures.calls);
  return out;
}

}  // namespace

TEST_CASE("view: of an operation whose probes were away it is told how long they were there") {
  Run run;
  plan::OperationState away = run.states[1];
  away.away = {{60 * kMs, UINT64_MAX}};
  run.states.set(1, away);
  const auto share = [&](const snapshot::TimeWindow& window, size_t component) {
    ViewRequest request;
    request.window = window;
    const auto view = run.ask(request);
    REQUIRE(view);
    return view->snapshot->components[component].figures.observed_share;
  };
  CHECK(share({0, 0, 100 * kMs}, 1) == doctest::Approx(0.6));
  CHECK(share({0, 70 * kMs, 100 * kMs}, 1) == 0);
  CHECK_FALSE(share({0, 0, 60 * kMs}, 1));
  CHECK_FALSE(share({0, 0, 100 * kMs}, 0));
}

TEST_CASE("view: hotness says what 100 is, and time below the floor is cold") {
  const Run run;
  ViewRequest request;
  request.window = {0, 0, 100 * kMs};
  const auto hot = [&] {
    const auto view = run.ask(request);
    REQUIRE(view);
    REQUIRE(view->snapshot->heat);
    return *view->snapshot;
  };
  snapshot::Snapshot s = hot();
  CHECK(s.heat->full == double(30 * kMs));  // fb from 20 to 50 ms, fc from 70 to 100 ms
  CHECK(s.heat->floor == double(kMs));
  CHECK(s.components[1].figures.hotness == 100);
  CHECK(s.components[1].figures.ranked == double(30 * kMs));
  CHECK(s.components[0].figures.mean_real_ns == 20 * kMs);
  request.heat.scale = HeatScale::kWall;
  CHECK(hot().components[1].figures.hotness == doctest::Approx(30));
  request.heat.floor_pct = 50;
  CHECK(hot().components[1].figures.hotness == 0);
  CHECK(hot().heat->full == double(100 * kMs));
  request.heat.floor_pct = 101;
  CHECK(tells(run.refusal(request), "/heat/floor_pct"));
  request.heat = {Word<HeatScale>("moon"), 1};
  CHECK(tells(run.refusal(request), "moon"));
}

TEST_CASE("view: operations that only wait are not hot, and their time stands apart") {
  Run run;
  run.plan.operations[1].waiting = true;
  const auto view = run.ask({});
  REQUIRE(view);
  const auto& component = view->snapshot->components[1];
  CHECK(component.figures.hotness == 0);
  CHECK(component.figures.net_real_ns == 30 * kMs);
  CHECK(component.figures.waiting_ns == 30 * kMs);
  CHECK(component.figures.mean_real_ns == 0);
  CHECK(shown_real_ns(component.figures) == 0);
  // Calls and missed objectives are no time.
  ViewRequest request;
  request.metric = "calls";
  CHECK(run.ask(request)->snapshot->components[1].figures.ranked == 1);
  CHECK(run.ask(request)->snapshot->components[1].operations[0].figures.hotness == 100);
  request.metric = "slo-violations";
  CHECK(run.ask(request)->snapshot->components[1].figures.ranked == 1);
  for (const char* of_single_calls : {"mean", "maximum", "p99"}) {
    request.metric = of_single_calls;
    CHECK(run.ask(request)->snapshot->components[1].figures.ranked == 0);
  }
  // What contains it holds its waiting apart, too.
  const snapshot::Component& container = view->snapshot->components[0];
  CHECK(container.subtree.waiting_ns == 30 * kMs);
  CHECK(component.subtree.waiting_ns == 30 * kMs);
  CHECK(shown_real_ns(container.subtree) == container.figures.net_real_ns);
  CHECK(component.operations[0].figures.hotness == 0);
}

TEST_CASE("view: deviation is from the run before the window, or from a saved snapshot") {
  const Run run;
  ViewRequest request;
  request.metric = "deviation";
  request.window = {0, 50 * kMs, 100 * kMs};
  const auto view = run.ask(request);
  REQUIRE(view);
  // fc: 30 of these 50 ms and none of those before; fb: none, and 30 of 50.
  CHECK(view->snapshot->components[2].figures.deviation_ns == doctest::Approx(30e6));
  CHECK(view->snapshot->components[1].figures.deviation_ns == doctest::Approx(-30e6));
  CHECK(view->snapshot->components[1].figures.hotness == doctest::Approx(100));
  const present::Baseline baseline{{{"C", 0.2}}, {{{"A/B", "fb"}, 0.1}}};
  present::RunParts parts = run.parts();
  parts.baseline = &baseline;
  const auto compared = present::build_snapshot(parts, {{50 * kMs, 100 * kMs}, "deviation"});
  CHECK(compared.components[2].figures.deviation_ns == doctest::Approx(20e6));
  CHECK_FALSE(compared.components[1].figures.deviation_ns);
  CHECK(compared.components[1].operations[0].figures.deviation_ns == doctest::Approx(-5e6));
  CHECK_FALSE(compared.components[2].operations[0].figures.deviation_ns);
  // Of the whole run there is no past.
  request.window = {};
  const auto whole = run.ask(request);
  REQUIRE(whole);
  CHECK_FALSE(whole->snapshot->components[2].figures.deviation_ns);
  REQUIRE_FALSE(whole->snapshot->health.notes.empty());
  CHECK(tells(whole->snapshot->health.notes.back(), "--baseline"));
}

TEST_CASE("view: a connection between containers is none that was never taken while parts call") {
  Run run;
  run.spec.connections = {{0, 2}};  // A contains B
  const auto edges = [&] { return run.ask({})->snapshot->edges; };
  const auto never = [](const snapshot::Edge& e) { return e.declared && e.count == 0; };
  CHECK(std::ranges::any_of(edges(), never));
  run.feed(2, {in(1, 900, 80 * kMs), in(2, 800, 85 * kMs), out(2, 800, 90 * kMs),
               out(1, 900, 95 * kMs)});
  run.store.fill(run.checkpoint);
  const auto now = edges();
  CHECK(std::ranges::none_of(now, never));
  CHECK(std::ranges::any_of(now, [](const snapshot::Edge& e) {
    return e.from == "A/B" && e.to == "C" && e.declared && e.count == 1;
  }));
}

TEST_CASE("view answer: only what was asked for is in it") {
  const Run run;
  const auto plain = run.ask({});
  REQUIRE(plain);
  CHECK(plain->snapshot);
  CHECK_FALSE((plain->strip || plain->executions || plain->details));
  ViewRequest request;
  request.id = 8;
  request.snapshot = false;
  const auto state = run.ask(request, {false, true, 12.5});
  REQUIRE(state);
  CHECK_FALSE(state->snapshot);
  CHECK(state->id == 8);
  CHECK(state->run == snapshot::RunState{0, 100 * kMs, false, true, 12.5, 0});
}

TEST_CASE("view answer: its snapshot is the one of the window, metric and filter") {
  const Run run;
  ViewRequest request;
  request.window = {0, 15 * kMs, 55 * kMs};
  request.metric = "calls";
  const auto view = run.ask(request);
  REQUIRE(view);
  snapshot::Snapshot expected =
      present::build_snapshot(run.parts(), {{15 * kMs, 55 * kMs}, "calls", {}});
  expected.created = view->snapshot->created;
  CHECK(view->snapshot == expected);
  CHECK(calls(*view) == std::vector<uint64_t>{0, 1, 0});
  request.window = {0.05, 0, 0};
  const auto last = run.ask(request);
  CHECK(last->snapshot->window_start_ns == 50 * kMs);
  CHECK(last->snapshot->window_end_ns == 100 * kMs);
}

TEST_CASE("view answer: a filter names components, operations and threads") {
  const Run run;
  const auto pass = [&](const snapshot::ViewFilter& filter) {
    ViewRequest request;
    request.filter = filter;
    const auto view = run.ask(request);
    REQUIRE(view);
    return calls(*view);
  };
  using Calls = std::vector<uint64_t>;
  CHECK(pass({{"A"}, {}, {}, 0}) == Calls{1, 1, 0});  // with what it contains
  CHECK(pass({{"A/B", "C"}, {}, {}, 0}) == Calls{0, 1, 1});
  CHECK(pass({{}, {"fc"}, {}, 0}) == Calls{0, 0, 1});
  CHECK(pass({{}, {}, {11}, 0}) == Calls{1, 1, 0});
  CHECK(pass({{}, {}, {99}, 0}) == Calls{0, 0, 0});  // a thread that is not there yet
  CHECK(pass({{}, {}, {}, 31 * kMs}) == Calls{1, 0, 0});
}

TEST_CASE("view answer: the strip has a row per component and the losses") {
  const Run run;
  ViewRequest request;
  request.strip = {{0, 0, 10}};
  const auto strip = run.ask(request)->strip;
  REQUIRE(strip);
  CHECK(std::tuple(strip->start_ns, strip->end_ns, strip->columns) ==
        std::tuple(0u, 100 * kMs, 10u));
  CHECK(strip->components == std::vector<std::string>{"A", "A/B", "C"});
  CHECK(total(strip->real_ns[0]) == 20);
  CHECK(total(strip->real_ns[1]) == 30);
  CHECK(total(strip->real_ns[2]) == 30);
  CHECK(strip->lost == std::vector<uint64_t>{0, 0, 0, 0, 0, 0, 0, 0, 9, 0});
  request.strip = {{20 * kMs, 40 * kMs, 2}};
  CHECK(run.ask(request)->strip->real_ns[1] == std::vector<uint64_t>{10 * kMs, 10 * kMs});
}

TEST_CASE("view answer: executions name their operations, callers and threads") {
  const Run run;
  ViewRequest request;
  request.executions.emplace();
  const auto shown = run.ask(request)->executions;
  REQUIRE(shown);
  REQUIRE(shown->executions.size() == 3);
  const auto name = [&](int64_t index) {
    return index < 0 ? std::string("outside") : shown->operations[size_t(index)].name;
  };
  const auto& e = shown->executions;
  CHECK(name(e[0].operation) + " " + name(e[0].caller) + " " + e[0].closed.text() ==
        "fa outside returned");
  CHECK(name(e[1].operation) + " " + name(e[1].caller) == "fb fa");
  CHECK(shown->operations[e[1].operation].component == "A/B");
  CHECK(name(e[2].operation) + " " + e[2].closed.text() == "fc open");
  CHECK(std::tuple(e[2].pid, e[2].tid, e[2].end_ns, e[2].real_ns) ==
        std::tuple(10, 12, 100 * kMs, 30 * kMs));
  request.window = {0, 0, 15 * kMs};
  CHECK(run.ask(request)->executions->executions.size() == 1);
  request.executions->start_ns = 65 * kMs;
  request.executions->end_ns = 75 * kMs;
  CHECK(run.ask(request)->executions->executions.size() == 1);
  CHECK(run.ask(request)->executions->start_ns == 65 * kMs);
}

TEST_CASE("view answer: details are of the component's own operations") {
  const Run run;
  ViewRequest request;
  request.details = "A";
  const auto details = run.ask(request)->details;
  REQUIRE(details);
  CHECK(details->component == "A");
  REQUIRE(details->histogram.size() == 1);
  CHECK(details->histogram[0].count == 1);
  CHECK(details->histogram[0].from_ns <= 50 * kMs);
  CHECK(details->histogram[0].to_ns > 50 * kMs);
  REQUIRE(details->recent.executions.size() == 1);
  CHECK(details->recent.executions[0].end_ns == 60 * kMs);
  request.details = "C";
  CHECK(run.ask(request)->details->histogram.empty());  // nothing has ended
  CHECK(run.ask(request)->details->recent.executions.size() == 1);
  request.filter.operations = {"fa"};
  CHECK(run.ask(request)->details->recent.executions.empty());
}

TEST_CASE("view answer: objectives, and what missed them, in every part") {
  const Run run;
  ViewRequest request;
  request.strip = {{0, 0, 10}};
  request.executions.emplace();
  const auto view = run.ask(request);
  REQUIRE(view);
  const auto& components = view->snapshot->components;
  CHECK(!components[0].figures.slo);
  CHECK(components[1].figures.slo == snapshot::Slo{25 * kMs, 1, 0, 0});
  CHECK(components[2].figures.slo == snapshot::Slo{20 * kMs, 0, 0, 1});
  CHECK(components[2].operations[0].figures.slo == components[2].figures.slo);
  const auto& slo = view->snapshot->slo;
  REQUIRE(slo);
  CHECK(std::tuple(slo->violations, slo->violating_now, slo->since_start, slo->left_out) ==
        std::tuple(1u, 1u, 1u, 0u));
  REQUIRE(slo->newest.size() == 2);
  CHECK(slo->newest[0] == snapshot::Violation{"C", "fc", 10, 12, 70 * kMs, 30 * kMs, 20 * kMs,
                                              run.checkpoint.open[0].trace_id, 0,
                                              snapshot::Ending::kOpen});
  CHECK(slo->newest[1].component == "A/B");
  CHECK(slo->newest[1].closed == snapshot::Ending::kReturned);
  using Violations = snapshot::StripView::Violations;
  CHECK(view->strip->violations == std::vector<Violations>{{1, 5, 1}});
  for (const auto& operation : view->executions->operations)
    CHECK(operation.objective_ns.value_or(0) == (operation.name == "fb"   ? 25 * kMs
                                                 : operation.name == "fc" ? 20 * kMs
                                                                          : 0));
  request.filter.components = {"C"};
  CHECK(run.ask(request)->snapshot->slo->newest.size() == 1);
  CHECK(run.ask(request)->snapshot->slo->since_start == 1);
}

TEST_CASE("view answer: an objective that nothing is held to is named") {
  Run run;
  run.plan.operations[1].ways[0].exit = spec::ExitMode::kEntryOnly;
  run.states.refuse(2, "");
  const auto view = run.ask({});
  REQUIRE(view);
  CHECK(view->snapshot->slo->unjudged == std::vector<std::string>{"fb", "fc"});
  CHECK(!view->snapshot->components[1].figures.slo);
  CHECK(!view->snapshot->components[2].figures.slo);
  for (auto& op : run.plan.operations) op.slo_ms = 0;
  CHECK(!run.ask({})->snapshot->slo);
}

TEST_CASE("view answer: what cannot be answered is refused with its place") {
  const Run run;
  const auto wrong = [&](auto change) {
    ViewRequest request;
    change(request);
    return run.refusal(request);
  };
  CHECK(tells(wrong([](auto& r) { r.metric = "x"; }), "no metric 'x'"));
  CHECK(tells(wrong([](auto& r) { r.window.last_s = -1; }), "/window/last_s"));
  CHECK(tells(wrong([](auto& r) { r.window = {1, 0, 5}; }), "/window"));
  CHECK(tells(wrong([](auto& r) { r.window = {0, 6, 5}; }), "ends before it starts"));
  CHECK(tells(wrong([](auto& r) { r.window = {0, 6, 0}; }), "without end_ns"));
  CHECK(tells(wrong([](auto& r) { r.strip = {{0, 0, 0}}; }), "/strip/columns"));
  CHECK(tells(wrong([](auto& r) { r.strip = {{0, 0, 4097}}; }), "/strip/columns"));
  CHECK(tells(wrong([](auto& r) { r.strip = {{7, 6, 1}}; }), "/strip"));
  CHECK(tells(wrong([](auto& r) { r.executions = {{0, 0, 0, 1}}; }), "/executions/pixels"));
  CHECK(tells(wrong([](auto& r) { r.executions = {{0, 0, 9000, 1}}; }), "/executions/pixels"));
  CHECK(tells(wrong([](auto& r) { r.executions = {{0, 0, 1, 0}}; }), "/executions/limit"));
  CHECK(tells(wrong([](auto& r) { r.executions = {{0, 0, 1, 20'001}}; }), "/executions/limit"));
  CHECK(tells(wrong([](auto& r) { r.executions = {{8, 7, 1, 1}}; }), "/executions"));
  CHECK(tells(wrong([](auto& r) { r.details = "B"; }), "no component 'B'"));
  CHECK(tells(wrong([](auto& r) { r.filter.components = {"A/"}; }), "no component 'A/'"));
  CHECK(tells(wrong([](auto& r) { r.filter.operations = {"fd"}; }), "no operation 'fd'"));
}

TEST_CASE("busy: without samples real times are uncertain and how much was seen is told") {
  Run run;
  run.states.pause(1, 40 * kMs, "too dear");
  run.states.come_back(1, 80 * kMs, "back");
  const auto look = [&](uint64_t from_ms, uint64_t to_ms) {
    ViewRequest request;
    request.window = {0, from_ms * kMs, to_ms * kMs};
    auto view = run.ask(request);
    REQUIRE(view);
    return std::move(*view->snapshot);
  };
  const snapshot::Snapshot before = look(0, 40), away = look(0, 60);
  CHECK_FALSE(before.components[0].figures.uncertain);
  CHECK(before.health.notes.empty());
  CHECK(away.components[0].figures.uncertain);  // has in it what was not seen below it
  CHECK(away.components[0].operations[0].figures.uncertain);
  CHECK_FALSE(away.components[0].figures.at_least);
  CHECK(away.components[1].figures.uncertain);
  CHECK(away.components[1].figures.at_least);
  CHECK_FALSE(away.components[2].figures.uncertain);  // of nothing nothing is doubted
  CHECK_FALSE(before.components[0].subtree.at_least);
  CHECK(away.components[0].subtree.at_least);  // of what is inside it
  CHECK(away.components[0].subtree.uncertain);
  CHECK_FALSE(away.components[2].subtree.at_least);
  REQUIRE(away.edges.size() == 2);
  for (const snapshot::Edge& edge : away.edges) CHECK(edge.at_least == (edge.to == "A/B"));
  for (const snapshot::Edge& edge : before.edges) CHECK_FALSE(edge.at_least);
  CHECK(why_uncertain(away) == "probes were away for a part of the time");
  REQUIRE_FALSE(away.health.notes.empty());
  CHECK(
      away.health.notes.back().starts_with("probes of 1 of 3 operations were too dear and all "
                                           "there for 67 % of the window"));
}
