// SPDX-License-Identifier: Apache-2.0
#include "present/trace_analyst.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <tuple>

#include "small_run.h"

using namespace compmond;
using namespace compmond::present::test;
using snapshot::ViewRequest;

namespace {

// What a request is answered, as that report.
template <class R>
R content(const Run& run, const ViewRequest& request) {
  const auto view = run.ask(request)->analysis;
  REQUIRE(view);
  REQUIRE(view->as<R>());
  return *view->as<R>();
}

using snapshot::OneTrace;

}  // namespace

TEST_CASE("trace analyst: traces are rows, with what is not among them") {
  const Run run;
  ViewRequest request;
  request.analysis.emplace().report = snapshot::Report::kTraces;
  const auto view = run.ask(request)->analysis;
  REQUIRE(view);
  CHECK(std::tuple(view->traces, view->executions, view->unfinished, view->broken) ==
        std::tuple(1u, 2u, 1u, 0u));
  REQUIRE(view->as<snapshot::Traces>());
  REQUIRE(view->as<snapshot::Traces>()->rows.size() == 1);
  const auto& row = view->as<snapshot::Traces>()->rows[0];
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

TEST_CASE("trace analyst: traces are searched and filtered by what is in them") {
  Run run;
  run.feed(0, {in(2, 900, 71 * kMs), out(2, 900, 72 * kMs)});
  run.store.fill(run.checkpoint);
  const auto traces = [&](auto change) {
    ViewRequest request;
    request.analysis.emplace().report = snapshot::Report::kTraces;
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

TEST_CASE("trace analyst: a part of the time without all probes is told") {
  Run run;  // its trace is from 10 to 60 ms
  run.states.pause(2, 40 * kMs, "too dear");
  run.states.come_back(2, 65 * kMs, "back");
  const auto share = [&](auto change) {
    ViewRequest request;
    request.window = {0, 5 * kMs, 90 * kMs};
    request.analysis.emplace().report = snapshot::Report::kCallTree;
    change(request);
    const auto view = run.ask(request);
    REQUIRE(view);
    return view->analysis->observed_share;
  };
  CHECK(share([](auto&) {}) == doctest::Approx(1 - 25.0 / 85));
  CHECK(share([](auto& r) { r.analysis->report = snapshot::Report::kTraces; }) ==
        doctest::Approx(1 - 25.0 / 85));
  // The trace is left out, as a part of it was not seen.
  CHECK(share([](auto& r) { r.analysis->report = snapshot::Report::kTrace; }) ==
        doctest::Approx(1 - 25.0 / 85));
  CHECK_FALSE(share([](auto& r) { r.window = {0, 5 * kMs, 40 * kMs}; }));
  run.states.refuse(2, "gone");  // of what nothing sees nothing is missed
  CHECK_FALSE(share([](auto&) {}));
}

TEST_CASE("trace analyst: rows are sorted as a whole before they are cut") {
  Run run;
  for (uint64_t i = 0; i < 5; ++i)
    run.feed(0, {in(2, 900, (71 + 2 * i) * kMs), out(2, 900, (71 + 2 * i) * kMs + (5 - i) * 1000)});
  run.store.fill(run.checkpoint);
  ViewRequest request;
  auto& analysis = request.analysis.emplace();
  analysis.report = snapshot::Report::kTraces;
  analysis.limit = 2;
  const auto starts = [&] {
    std::vector<uint64_t> out;
    const auto view = run.ask(request)->analysis;
    CHECK(view->left_out == 4);
    for (const auto& row : view->as<snapshot::Traces>()->rows) out.push_back(row.start_ns / kMs);
    return out;
  };
  using Starts = std::vector<uint64_t>;
  CHECK(starts() == Starts{79, 77});
  analysis.ascending = true;
  CHECK(starts() == Starts{10, 71});
  analysis.sort = snapshot::Sort::kDuration;
  CHECK(starts() == Starts{79, 77});
  analysis.ascending = false;
  CHECK(starts() == Starts{10, 71});
  analysis.sort = snapshot::Sort::kOperation;
  CHECK(starts() == Starts{79, 77});
}

TEST_CASE("trace analyst: a trace has its executions, one that is not there, none") {
  const Run run;
  ViewRequest request;
  auto& analysis = request.analysis.emplace();
  analysis.report = snapshot::Report::kTrace;
  const auto newest = content<OneTrace>(run, request);
  REQUIRE(newest.trace);
  REQUIRE(newest.steps.size() == 2);
  CHECK(newest.steps[1].caller == 0);
  CHECK(newest.steps[0].real_ns == 20 * kMs);
  const auto operations = run.ask(request)->analysis->operations;
  CHECK(operations[newest.steps[1].operation].component == "A/B");
  request.window = {0, 90 * kMs, 95 * kMs};  // it lies before
  CHECK_FALSE(content<OneTrace>(run, request).trace);
  analysis.trace = newest.trace->id;
  CHECK(content<OneTrace>(run, request).steps == newest.steps);
  analysis.trace = 12345;
  CHECK_FALSE(content<OneTrace>(run, request).trace);
  analysis.trace = run.checkpoint.open[0].trace_id;
  const auto running = run.ask(request)->analysis;
  CHECK_FALSE(running->as<OneTrace>()->trace);
  CHECK(running->unfinished == 1);
  analysis.trace.reset();
  request.window = {};
  analysis.class_number = newest.trace->class_number;
  CHECK(content<OneTrace>(run, request).trace == newest.trace);
  analysis.class_number = 77;
  CHECK_FALSE(content<OneTrace>(run, request).trace);
}

TEST_CASE("trace analyst: classes keep their numbers while the window moves") {
  Run run;
  for (uint64_t at = 71; at < 75; ++at)
    run.feed(0, {in(2, 900, at * kMs), out(2, 900, at * kMs + 1000 * (at - 70))});
  run.store.fill(run.checkpoint);
  ViewRequest request;
  request.analysis.emplace().report = snapshot::Report::kClasses;
  const auto all = content<snapshot::Classes>(run, request).rows;
  REQUIRE(all.size() == 2);
  CHECK(all[0].number == 1);
  CHECK(all[0].cardinality == 4);
  CHECK(run.ask(request)->analysis->operations[all[0].operation].name == "fc");
  CHECK(std::tuple(all[0].min_ns, all[0].mean_ns, all[0].max_ns) ==
        std::tuple(1000u, 2500u, 4000u));
  CHECK(all[1].number == 2);
  request.window = {0, 5 * kMs, 65 * kMs};
  const auto first = content<snapshot::Classes>(run, request).rows;
  REQUIRE(first.size() == 1);
  CHECK(first[0].number == 2);
}

TEST_CASE("trace analyst: call tree, dependency graph and Markov chain are those of analyze") {
  const Run run;
  ViewRequest request;
  auto& analysis = request.analysis.emplace();
  analysis.report = snapshot::Report::kCallTree;
  const auto tree = content<snapshot::CallTree>(run, request);
  CHECK(well_formed(*run.ask(request)->analysis));
  REQUIRE(tree.nodes.size() == 3);
  CHECK(tree.nodes[0] == snapshot::CallTree::Node{-1, -1, 1, 50 * kMs, 0});
  CHECK(tree.nodes[2].parent == 1);
  CHECK(tree.nodes[2].raw_ns == 30 * kMs);
  analysis.limit = 2;
  CHECK(content<snapshot::CallTree>(run, request).nodes.size() == 2);
  CHECK(run.ask(request)->analysis->left_out == 1);
  analysis.limit = 1000;

  analysis.report = snapshot::Report::kDependencyGraph;
  const auto graph = content<snapshot::DependencyGraph>(run, request);
  CHECK(well_formed(*run.ask(request)->analysis));
  CHECK(run.ask(request)->analysis->level == snapshot::Level::kComponent);
  REQUIRE(graph.edges.size() == 2);
  CHECK(graph.edges[0].from == -1);
  CHECK(graph.nodes[size_t(graph.edges[1].to)].component == "A/B");
  CHECK(graph.edges[1].mean_ns == 30 * kMs);
  analysis.level = snapshot::Level::kOperation;
  CHECK(content<snapshot::DependencyGraph>(run, request).nodes[0].operation == "fa");

  analysis.report = snapshot::Report::kMarkov;
  const auto chain = content<snapshot::Markov>(run, request);
  CHECK(well_formed(*run.ask(request)->analysis));
  CHECK(chain.states.size() == 4);
  REQUIRE(chain.transitions.size() == 3);
  CHECK(chain.transitions[0].probability == 1);
}

TEST_CASE("trace analyst: an analysis that there is not is refused with its place") {
  const Run run;
  const auto wrong = [&](auto change) {
    ViewRequest request;
    request.analysis.emplace().report = snapshot::Report::kTraces;
    change(*request.analysis);
    return run.refusal(request);
  };
  CHECK(tells(wrong([](auto& a) { a.report = Word<snapshot::Report>("x"); }),
              "/analysis/report is 'x'"));
  CHECK(tells(wrong([](auto& a) { a.sort = Word<snapshot::Sort>("x"); }), "/analysis/sort"));
  CHECK(tells(wrong([](auto& a) { a.level = Word<snapshot::Level>("class"); }), "/analysis/level"));
  CHECK(tells(wrong([](auto& a) { a.limit = 0; }), "/analysis/limit"));
  CHECK(tells(wrong([](auto& a) { a.limit = 20'001; }), "/analysis/limit"));
  CHECK(tells(wrong([](auto& a) { a.component = "x"; }), "no component 'x'"));
  CHECK(tells(wrong([](auto& a) { a.operation = "x"; }), "no operation 'x'"));
}

namespace {

using record::ContextKind;
using record::ContextType;

// A call of fa on thread 11 hands over a pointer; in a loop of fc on thread 12, a call of fb goes
// on with it. Both name a session.
void hand_over(Run& run, uint64_t at_ms, uint64_t pointer) {
  const uint64_t at = at_ms * kMs;
  const auto feed = [&](uint32_t thread, std::vector<record::Event> said,
                        const std::vector<record::Event>& calls) {
    said.insert(said.end(), calls.begin(), calls.end());
    run.feed(thread, said);
  };
  auto given = trace::text(0, ContextKind::kSessionId, "alice");
  given.push_back(trace::says(0, ContextKind::kGive, ContextType::kPointer, pointer));
  feed(0, given, {in(0, 900, at), out(0, 900, at + kMs)});
  run.feed(1, {in(0, 800, at), out(0, 800, at + kMs)});
  feed(1, {trace::says(1, ContextKind::kTake, ContextType::kPointer, pointer)},
       {in(1, 800, at + 2 * kMs), out(1, 800, at + 4 * kMs)});
  run.store.fill(run.checkpoint);
}

// Below fa on thread 11 and below fc on thread 12, a call of fb with the same trace id.
void share_id(Run& run, uint64_t at_ms, uint64_t id) {
  const uint64_t at = at_ms * kMs;
  const auto said = trace::says(1, ContextKind::kTraceId, ContextType::kInteger, id);
  run.feed(0, {in(0, 900, at), said, in(1, 800, at + kMs), out(1, 800, at + 3 * kMs),
               out(0, 900, at + 4 * kMs)});
  run.feed(1, {said, in(1, 800, at + 2 * kMs), out(1, 800, at + 5 * kMs)});
}

ViewRequest asking(snapshot::Report report) {
  ViewRequest request;
  request.analysis.emplace().report = report;
  return request;
}

}  // namespace

TEST_CASE("trace analyst: what arguments say joins the traces of threads") {
  Run run;
  hand_over(run, 75, 0x10);
  run.feed(1, {out(2, 900, 90 * kMs)});  // only now what thread 12 did is whole
  run.store.fill(run.checkpoint);
  run.checkpoint.open.clear();
  const auto all = content<snapshot::Traces>(run, asking(snapshot::Report::kTraces));
  REQUIRE(all.rows.size() == 3);  // the first one, the joined one, and the rest of the loop
  const auto& joined = all.rows[0].start_ns == 75 * kMs ? all.rows[0] : all.rows[1];
  CHECK(joined.executions == 2);
  CHECK(joined.threads == 2);
  CHECK(joined.session == "alice");
  CHECK(joined.end_ns == 79 * kMs);
  CHECK(std::ranges::count(all.rows, 1u, &snapshot::TraceRow::threads) == 2);

  ViewRequest one = asking(snapshot::Report::kTrace);
  one.analysis->trace = joined.id;
  const auto shown = content<OneTrace>(run, one);
  REQUIRE(shown.steps.size() == 2);
  CHECK(shown.steps[1].caller == 0);
  CHECK(shown.steps[1].tid == 12);
  CHECK(shown.steps[0].real_ns == kMs);  // what goes on elsewhere is none of its time
  CHECK(shown.steps[1].real_ns == 2 * kMs);
}

TEST_CASE("trace analyst: a joined trace is found by its number, also outside the window") {
  Run run;
  share_id(run, 75, 17);
  share_id(run, 82, 18);
  run.feed(1, {out(2, 900, 90 * kMs)});
  run.store.fill(run.checkpoint);
  run.checkpoint.open.clear();
  const auto all = content<snapshot::Traces>(run, asking(snapshot::Report::kTraces));
  CHECK(all.rows.size() == 6);  // two shared ones, and what is left on the threads: 1 + 2, 1
  CHECK(std::ranges::count_if(all.rows, [](auto& row) { return row.id >= 1ull << 52; }) == 2);
  for (const auto& row : all.rows) {
    ViewRequest one = asking(snapshot::Report::kTrace);
    one.analysis->trace = row.id;
    one.window = {0, 5 * kMs, 6 * kMs};
    const auto found = content<OneTrace>(run, one);
    REQUIRE(found.trace);
    CHECK(std::tuple(found.trace->id, found.trace->start_ns, found.trace->executions) ==
          std::tuple(row.id, row.start_ns, row.executions));
  }
  CHECK(content<snapshot::Traces>(run, asking(snapshot::Report::kTraces)).rows == all.rows);
}

TEST_CASE("trace analyst: a trace of which it is no longer known what was said is left out") {
  Run run;
  hand_over(run, 75, 0x10);
  run.feed(1, {out(2, 900, 90 * kMs)});
  const trace::Context context{ContextKind::kTraceId, ContextType::kInteger, 1, {}, false};
  for (uint64_t trace = 1000; run.store.contexts().lost_up_to() < 900; ++trace)
    run.store.on_context(trace, 0, context);
  run.store.fill(run.checkpoint);
  run.checkpoint.open.clear();
  const auto all = run.ask(asking(snapshot::Report::kTraces))->analysis;
  CHECK(all->as<snapshot::Traces>()->rows.empty());
  CHECK(all->partial);
  CHECK(all->analysed_since_ns > 75 * kMs);
}

TEST_CASE("trace analyst: names of sessions go with their traces") {
  Run run;
  run.feed(1, {out(2, 900, 90 * kMs)});
  uint64_t at = 100 * kMs;
  const auto ask_for_newest = [&](size_t sessions) {
    const uint64_t since = at;
    for (size_t i = 0; i < sessions; ++i, at += 100) {
      std::vector<record::Event> events =
          trace::text(0, ContextKind::kSessionId, fmt::format("s{}", at));
      events.insert(events.end(), {in(0, 900, at), out(0, 900, at + 50)});
      run.feed(0, events);
    }
    run.store.fill(run.checkpoint);
    run.checkpoint.open.clear();
    run.checkpoint.as_of_ns = at;
    ViewRequest request = asking(snapshot::Report::kTraces);
    request.window = {0, since, at};
    return content<snapshot::Traces>(run, request);
  };
  constexpr size_t kKept = 20'000;
  size_t most = 0;
  for (int round = 0; round < 10; ++round) {
    const uint64_t first = at;
    const auto traces = ask_for_newest(kKept / 4);
    REQUIRE(traces.rows.size() > 0);
    for (const auto& row : traces.rows) CHECK(row.session == fmt::format("s{}", row.start_ns));
    CHECK(traces.rows.back().start_ns >= first);
    most = std::max(most, run.analyst.sessions());
  }
  CHECK(most > kKept);
  CHECK(most < 2 * kKept);
}
