// SPDX-License-Identifier: Apache-2.0
#include "app/view_answer.h"

#include <doctest/doctest.h>

#include <numeric>

#include "../trace/recorder.h"
#include "app/snapshot_builder.h"
#include "trace/tracer.h"

using namespace compmond;
using snapshot::ViewRequest;
using trace::in;
using trace::out;

namespace {

constexpr uint64_t kMs = 1'000'000;

// Components A, A/B and C with the operations fa, fb and fc; on thread 11 fa calls fb from 20 to 50
// ms, and on thread 12 fc is open since 70 ms. Now is 100 ms.
struct Run {
  Run()
      : store({3, 0, 1u << 20, history::Objectives({0, 25 * kMs, 20 * kMs})}),
        tracer({0, 1, 2}, store) {
    for (const char* path : {"A", "A/B", "C"}) {
      spec::Component component;
      component.path = path;
      component.name = component.path.substr(component.path.size() - 1);
      component.parent = component.path == "A/B" ? 0 : -1;
      spec.components.push_back(component);
    }
    for (int i = 0; i < 3; ++i) {
      probe::PlannedOperation op;
      op.component = i;
      op.name = op.symbol = std::string("f") + char('a' + i);
      op.slo_ms = i == 1 ? 25 : i == 2 ? 20 : 0;
      plan.operations.push_back(op);
    }
    for (uint32_t thread = 0; thread < 2; ++thread)
      store.on_thread(thread, {10, 11 + thread, 0, "t"});
    feed(0, {in(0, 900, 10 * kMs), in(1, 800, 20 * kMs), out(1, 800, 50 * kMs),
             out(0, 900, 60 * kMs)});
    feed(1, {in(2, 900, 70 * kMs)});
    store.on_loss(80 * kMs, 80 * kMs, 9);
    store.fill(checkpoint);
    checkpoint.as_of_ns = 100 * kMs;
    tracer.open_executions(checkpoint.open);
    checkpoint.trace = tracer.ledger();
  }
  void feed(uint32_t thread, const std::vector<capture::Event>& events) {
    tracer.on_events(thread, events);
  }
  app::RunParts parts() const {
    return {spec,       plan,     costs, AttachKind::kSession, processes, notes, store,
            checkpoint, build_id, false};
  }
  Result<snapshot::View> ask(const ViewRequest& request, app::RunStatus status = {}) const {
    return app::answer_view(parts(), request, status, analyst);
  }
  std::string refusal(const ViewRequest& request) const {
    const auto view = ask(request);
    REQUIRE_FALSE(view);
    CHECK(view.error().code == Exit::kData);
    CHECK_FALSE(view.error().next.empty());
    return view.error().why;
  }

  spec::Spec spec;
  probe::Plan plan;
  probe::CostTable costs;
  app::ObservedProcesses processes;
  std::vector<std::string> notes;
  std::string build_id;
  history::Store store;
  trace::Tracer tracer;
  history::Checkpoint checkpoint;
  mutable app::TraceAnalyst analyst;
};

uint64_t total(const std::vector<uint64_t>& row) {
  return std::accumulate(row.begin(), row.end(), uint64_t{0}) / kMs;
}

std::vector<uint64_t> calls(const snapshot::View& view) {
  std::vector<uint64_t> out;
  for (const auto& component : view.snapshot->components) out.push_back(component.figures.calls);
  return out;
}

bool tells(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

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
      app::build_snapshot(run.parts(), {{15 * kMs, 55 * kMs}, "calls", {}});
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
  CHECK(name(e[0].operation) + " " + name(e[0].caller) + " " + e[0].closed ==
        "fa outside returned");
  CHECK(name(e[1].operation) + " " + name(e[1].caller) == "fb fa");
  CHECK(shown->operations[e[1].operation].component == "A/B");
  CHECK(name(e[2].operation) + " " + e[2].closed == "fc open");
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
                                              run.checkpoint.open[0].trace_id, 0, "open"});
  CHECK(slo->newest[1].component == "A/B");
  CHECK(slo->newest[1].closed == "returned");
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
  run.plan.operations[1].exit_mode = probe::ExitMode::kEntryOnly;
  run.plan.operations[2].refused = true;
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

TEST_CASE("view answer: traces are rows, with what is not among them") {
  const Run run;
  ViewRequest request;
  request.analysis.emplace().report = "traces";
  const auto view = run.ask(request)->analysis;
  REQUIRE(view);
  CHECK(std::tuple(view->traces, view->executions, view->unfinished, view->broken) ==
        std::tuple(1u, 2u, 1u, 0u));
  REQUIRE(view->rows.size() == 1);
  const auto& row = view->rows[0];
  CHECK(std::tuple(row.pid, row.tid, row.start_ns, row.end_ns) ==
        std::tuple(10, 11, 10 * kMs, 60 * kMs));
  CHECK(std::tuple(row.executions, row.max_depth, row.class_number, row.failed) ==
        std::tuple(2u, 1u, 1u, false));
  CHECK(view->operations[row.operation].name == "fa");
  // The same trace as among executions.
  request.executions.emplace();
  CHECK(run.ask(request)->executions->executions[0].trace_id == row.id);
  CHECK(well_formed(*view));
}

TEST_CASE("view answer: traces are searched and filtered by what is in them") {
  Run run;
  run.feed(0, {in(2, 900, 71 * kMs), out(2, 900, 72 * kMs)});
  run.store.fill(run.checkpoint);
  const auto traces = [&](auto change) {
    ViewRequest request;
    request.analysis.emplace().report = "traces";
    change(request);
    const auto view = run.ask(request);
    REQUIRE(view);
    return view->analysis->traces;
  };
  CHECK(traces([](auto&) {}) == 2);
  CHECK(traces([](auto& r) { r.analysis->search = "FB"; }) == 1);
  CHECK(traces([](auto& r) { r.analysis->search = "a/b"; }) == 1);
  CHECK(traces([](auto& r) { r.analysis->search = "nothing"; }) == 0);
  CHECK(traces([](auto& r) { r.analysis->component = "A"; }) == 1);
  CHECK(traces([](auto& r) { r.analysis->component = "C"; }) == 1);
  CHECK(traces([](auto& r) { r.analysis->operation = "fb"; }) == 1);
  CHECK(traces([](auto& r) { r.analysis->min_duration_ns = 2 * kMs; }) == 1);
  CHECK(traces([](auto& r) { r.analysis->class_number = 9; }) == 0);
  CHECK(traces([](auto& r) { r.filter.threads = {12}; }) == 0);
  CHECK(traces([](auto& r) { r.filter.operations = {"fc"}; }) == 1);
  CHECK(traces([](auto& r) { r.window = {0, 65 * kMs, 90 * kMs}; }) == 1);
}

TEST_CASE("view answer: rows are sorted as a whole before they are cut") {
  Run run;
  for (uint64_t i = 0; i < 5; ++i)
    run.feed(0, {in(2, 900, (71 + 2 * i) * kMs), out(2, 900, (71 + 2 * i) * kMs + (5 - i) * 1000)});
  run.store.fill(run.checkpoint);
  ViewRequest request;
  auto& analysis = request.analysis.emplace();
  analysis.report = "traces";
  analysis.limit = 2;
  const auto starts = [&] {
    std::vector<uint64_t> out;
    const auto view = run.ask(request)->analysis;
    CHECK(view->left_out == 4);
    for (const auto& row : view->rows) out.push_back(row.start_ns / kMs);
    return out;
  };
  using Starts = std::vector<uint64_t>;
  CHECK(starts() == Starts{79, 77});
  analysis.ascending = true;
  CHECK(starts() == Starts{10, 71});
  analysis.sort = "duration";
  CHECK(starts() == Starts{79, 77});
  analysis.ascending = false;
  CHECK(starts() == Starts{10, 71});
  analysis.sort = "operation";
  CHECK(starts() == Starts{79, 77});
}

TEST_CASE("view answer: a trace has its executions; one that is not there, none") {
  const Run run;
  ViewRequest request;
  auto& analysis = request.analysis.emplace();
  analysis.report = "trace";
  const auto newest = run.ask(request)->analysis;
  REQUIRE(newest->trace);
  REQUIRE(newest->steps.size() == 2);
  CHECK(newest->steps[1].caller == 0);
  CHECK(newest->steps[0].real_ns == 20 * kMs);
  CHECK(newest->operations[newest->steps[1].operation].component == "A/B");
  request.window = {0, 90 * kMs, 95 * kMs};  // it lies before
  CHECK_FALSE(run.ask(request)->analysis->trace);
  analysis.trace = newest->trace->id;
  CHECK(run.ask(request)->analysis->steps == newest->steps);
  analysis.trace = 12345;
  CHECK_FALSE(run.ask(request)->analysis->trace);
  analysis.trace = run.checkpoint.open[0].trace_id;
  const auto running = run.ask(request)->analysis;
  CHECK_FALSE(running->trace);
  CHECK(running->unfinished == 1);
  analysis.trace.reset();
  request.window = {};
  analysis.class_number = newest->trace->class_number;
  CHECK(run.ask(request)->analysis->trace == newest->trace);
  analysis.class_number = 77;
  CHECK_FALSE(run.ask(request)->analysis->trace);
}

TEST_CASE("view answer: classes keep their numbers while the window moves") {
  Run run;
  for (uint64_t at = 71; at < 75; ++at)
    run.feed(0, {in(2, 900, at * kMs), out(2, 900, at * kMs + 1000 * (at - 70))});
  run.store.fill(run.checkpoint);
  ViewRequest request;
  request.analysis.emplace().report = "classes";
  const auto all = run.ask(request)->analysis;
  REQUIRE(all->classes.size() == 2);
  CHECK(all->classes[0].number == 1);
  CHECK(all->classes[0].cardinality == 4);
  CHECK(all->operations[all->classes[0].operation].name == "fc");
  CHECK(std::tuple(all->classes[0].min_ns, all->classes[0].mean_ns, all->classes[0].max_ns) ==
        std::tuple(1000u, 2500u, 4000u));
  CHECK(all->classes[1].number == 2);
  request.window = {0, 5 * kMs, 65 * kMs};
  const auto first = run.ask(request)->analysis;
  REQUIRE(first->classes.size() == 1);
  CHECK(first->classes[0].number == 2);
}

TEST_CASE("view answer: call tree, dependency graph and Markov chain are those of analyze") {
  const Run run;
  ViewRequest request;
  auto& analysis = request.analysis.emplace();
  analysis.report = "call-tree";
  const auto tree = run.ask(request)->analysis;
  REQUIRE(tree->nodes.size() == 3);
  CHECK(tree->nodes[0] == snapshot::AnalysisView::TreeNode{-1, -1, 1, 50 * kMs, 0});
  CHECK(tree->nodes[2].parent == 1);
  CHECK(tree->nodes[2].raw_ns == 30 * kMs);
  analysis.limit = 2;
  CHECK(run.ask(request)->analysis->nodes.size() == 2);
  CHECK(run.ask(request)->analysis->left_out == 1);
  analysis.limit = 1000;

  analysis.report = "dependency-graph";
  const auto graph = run.ask(request)->analysis;
  CHECK(graph->level == "component");
  REQUIRE(graph->graph_edges.size() == 2);
  CHECK(graph->graph_edges[0].from == -1);
  CHECK(graph->graph_nodes[size_t(graph->graph_edges[1].to)].component == "A/B");
  CHECK(graph->graph_edges[1].mean_ns == 30 * kMs);
  analysis.level = "operation";
  CHECK(run.ask(request)->analysis->graph_nodes[0].operation == "fa");

  analysis.report = "markov";
  const auto chain = run.ask(request)->analysis;
  CHECK(chain->states.size() == 4);
  REQUIRE(chain->transitions.size() == 3);
  CHECK(chain->transitions[0].probability == 1);
  for (const auto& view : {tree, graph, chain}) CHECK(well_formed(*view));
}

TEST_CASE("view answer: an analysis that there is not is refused with its place") {
  const Run run;
  const auto wrong = [&](auto change) {
    ViewRequest request;
    request.analysis.emplace().report = "traces";
    change(*request.analysis);
    return run.refusal(request);
  };
  CHECK(tells(wrong([](auto& a) { a.report = "x"; }), "/analysis/report is 'x'"));
  CHECK(tells(wrong([](auto& a) { a.sort = "x"; }), "/analysis/sort"));
  CHECK(tells(wrong([](auto& a) { a.level = "host"; }), "/analysis/level"));
  CHECK(tells(wrong([](auto& a) { a.limit = 0; }), "/analysis/limit"));
  CHECK(tells(wrong([](auto& a) { a.limit = 20'001; }), "/analysis/limit"));
  CHECK(tells(wrong([](auto& a) { a.component = "x"; }), "no component 'x'"));
  CHECK(tells(wrong([](auto& a) { a.operation = "x"; }), "no operation 'x'"));
}

TEST_CASE("event rate: is of the last second, or since the last look where that is longer ago") {
  app::EventRate rate;
  CHECK(rate.per_second() == 0);
  history::Checkpoint checkpoint;
  const auto look = [&](uint64_t ms, uint64_t delivered) {
    checkpoint.as_of_ns = ms * kMs;
    checkpoint.capture.delivered = delivered;
    rate.add(checkpoint);
    return rate.per_second();
  };
  CHECK(look(500, 1000) == doctest::Approx(2000));
  CHECK(look(500, 1000) == doctest::Approx(2000));
  for (uint64_t ms = 600; ms <= 3000; ms += 100) look(ms, 1000);
  CHECK(look(3100, 1000) == 0);
  CHECK(look(3200, 1500) == doctest::Approx(500));
  CHECK(look(13'200, 11'500) == doctest::Approx(1000));
}
