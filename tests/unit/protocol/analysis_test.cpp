// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include "protocol/analysis_view.h"
#include "protocol/protocol.h"

using namespace compmond;
using namespace compmond::snapshot;

namespace {

const TraceRow kRow{1, 4, 5, 6, 7, 0, 8, 2, 1, true, 3, "alice"};

AnalysisView answer(Report report, ReportContent content) {
  AnalysisView out;
  out.report = report;
  out.operations = {{"A", "work"}};
  out.content = std::move(content);
  if (out.report == Report::kCallTree) out.observed_share = 0.25;
  return out;
}

Inside inside() {
  const Spent spent{{1, 0, 2}, {3, 2, 4}, {4, 3, 5}, 7, true, true};
  Inside out;
  out.total = spent;
  out.functions = {{"f", "/bin/p", 16, Whose::kOwn, spent, spent},
                   {"", "", std::nullopt, Whose::kKernel, spent, spent},
                   {"", "/lib/q.so", 32, Whose::kLibrary, {}, {}}};
  out.callees = {{}, {0, 0, 1, 2, 3, 4, 5}, {1, 1, 1, 2, 3, 4, 5}};
  out.callers = {{}, {0, 2, 0, 0, 3, 4, 5}};
  out.complete = false;
  out.without_stack = 1;
  out.folded = 2;
  out.taken = 100;
  out.truncated = 3;
  out.broken = 4;
  out.off_cpu_share = 0.5;
  out.all_cpu_ns = 9;
  return out;
}

// One of each report.
std::array<AnalysisView, 7> reports() {
  return {answer(Report::kTraces, Traces{{kRow}}),
          answer(Report::kClasses, Classes{{{1, 9, 0, 8, 2, 1, 3, 4, 5}}}),
          answer(Report::kTrace, OneTrace{kRow, {{0, -1, 4, 5, 6, 7, 1, 0, 0, true}}}),
          answer(Report::kCallTree, CallTree{{{-1, -1, 1, 2, 0}, {0, 0, 1, 2, 2}}}),
          answer(Report::kDependencyGraph, DependencyGraph{{{"A", ""}}, {{-1, 0, 1, 2, 3, 4}}}),
          answer(Report::kMarkov,
                 Markov{{{"A", "work"}}, {{-1, 0, true}, {0, -1, false}}, {{0, 1, 0.5, 7}}}),
          answer(Report::kInside, inside())};
}

// Of the analysis, from its operations on.
std::string json_of(const AnalysisView& analysis) {
  View view;
  view.analysis = analysis;
  const std::string line = to_line(view);
  return line.substr(line.find("\"operations\""));
}

AnalysisView parsed(const std::string& members) {
  const auto line = answer_from_line(
      R"({"answer":"view","id":1,"run":{"start_ns":1,"now_ns":2,"live":true,"replay":false,)"
      R"("events_per_s":3.0,"complete_since_ns":0},"analysis":{"level":"component","start_ns":1,)"
      R"("end_ns":2,"traces":1,"executions":1,"broken":0,"unfinished":0,"left_out":0,)"
      R"("partial":false,"analysed_since_ns":0,)" +
      members + "}}");
  REQUIRE(line);
  return *line->view->analysis;
}

}  // namespace

TEST_CASE("analysis: each report survives the way to a client") {
  for (const AnalysisView& report : reports()) {
    CAPTURE(report.report.text());
    View view;
    view.analysis = report;
    const auto back = answer_from_line(to_line(view));
    REQUIRE(back);
    CHECK(back->view == view);
    CHECK(well_formed(*back->view->analysis));
  }
}

TEST_CASE("analysis: every answer has the keys of all reports, in one order") {
  const auto all = reports();
  const std::string operations = R"("operations":[{"component":"A","name":"work"}],)";
  const std::string row =
      R"({"id":1,"pid":4,"tid":5,"start_ns":6,"end_ns":7,"operation":0,"executions":8,)"
      R"("max_depth":2,"class":1,"failed":true,"threads":3,"session":"alice"})";
  CHECK(json_of(all[0]) ==
        operations + R"("rows":[)" + row +
            R"(],"classes":[],"trace":null,"steps":[],"nodes":[],"graph_nodes":[],)"
            R"("graph_edges":[],"states":[],"transitions":[]}})");
  CHECK(json_of(all[2]) ==
        operations + R"("rows":[],"classes":[],"trace":)" + row +
            R"(,"steps":[{"operation":0,"caller":-1,"pid":4,"tid":5,"start_ns":6,"end_ns":7,)"
            R"("real_ns":1,"eoi":0,"ess":0,"failed":true}],"nodes":[],"graph_nodes":[],)"
            R"("graph_edges":[],"states":[],"transitions":[]}})");
  CHECK(json_of(all[5]) ==
        operations + R"("rows":[],"classes":[],"trace":null,"steps":[],"nodes":[],)"
                     R"("graph_nodes":[{"component":"A","operation":"work"}],"graph_edges":[],)"
                     R"("states":[{"from":-1,"to":0,"call":true},{"from":0,"to":-1,"call":false}],)"
                     R"("transitions":[{"from":0,"to":1,"probability":0.5,"count":7}]}})");
  AnalysisView unknown = answer(Report::kTraces, {});
  unknown.report = Word<Report>("flame");
  CHECK(json_of(unknown) == json_of(answer(Report::kTraces, Traces{})));
}

TEST_CASE("analysis: what is inside a part is an object of its own, where it was asked for") {
  const std::string line = json_of(reports()[6]);
  CHECK(line.find(R"("transitions":[],"inside":{"total":{"cpu_ns":[1,0,2],)") != line.npos);
  CHECK(line.find(
            R"({"name":"f","short_name":"","image":"/bin/p","start":16,"whose":"own","own":{)") !=
        line.npos);
  CHECK(line.find(R"({"name":"","short_name":"","image":"","whose":"kernel",)") != line.npos);
  CHECK(line.find(R"({"parent":1,"function":1,"own_cpu_ns":1,"own_waiting_ns":2,)"
                  R"("cpu_ns":3,"waiting_ns":4,"samples":5})") != line.npos);
  const AnalysisView none = parsed(R"("report":"inside")");
  REQUIRE(none.as<Inside>());
  CHECK(none.as<Inside>()->callees.empty());
  CHECK(well_formed(none));
}

TEST_CASE("analysis: a tree of functions has one root, parents first, and times that are some") {
  const Inside fine = inside();
  CHECK(well_formed(fine));
  const auto broken = [&](auto change) {
    Inside one = fine;
    change(one.callees);
    return !well_formed(one);
  };
  CHECK(broken([](auto& nodes) { nodes[0].function = 0; }));
  CHECK(broken([](auto& nodes) { nodes[0].parent = 0; }));
  CHECK(broken([](auto& nodes) { nodes[1].parent = -1; }));
  CHECK(broken([](auto& nodes) { nodes[1].parent = 2; }));
  CHECK(broken([](auto& nodes) { nodes[2].function = -1; }));
  CHECK(broken([](auto& nodes) { nodes[2].cpu_ns = -1; }));
  CHECK(broken([](auto& nodes) { nodes[2].waiting_ns = std::nan(""); }));
}

TEST_CASE("analysis: a function without a name is called by where it is") {
  using Function = Inside::Function;
  CHECK(label(Function{"f()", "/p", 1, Whose::kOwn, {}, {}}) == "f()");
  CHECK(label(Function{"", "/lib/libc.so.6", 0x1a0, Whose::kLibrary, {}, {}}) ==
        "0x1a0 in libc.so.6");
  CHECK(label(Function{"", "/lib/libc.so.6", std::nullopt, Whose::kLibrary, {}, {}}) ==
        "unknown in libc.so.6");
  CHECK(label(Function{"", "", std::nullopt, Whose::kUnknown, {}, {}}) == "(code of no file)");
  CHECK(label(Function{"", "", std::nullopt, Whose::kKernel, {}, {}}) == "[kernel]");
  CHECK(label(Function{"", "", std::nullopt, Whose::kMissing, {}, {}}) == "(callers missing)");
}

TEST_CASE("analysis: keys of another report are ignored, wherever the word stands") {
  const AnalysisView view =
      parsed(R"("steps":"nonsense","rows":[],"nodes":[{"parent":-1,"operation":-1,"count":1,)"
             R"("raw_ns":2,"real_ns":0}],"report":"call-tree","trace":7)");
  REQUIRE(view.as<CallTree>());
  CHECK(view.as<CallTree>()->nodes.size() == 1);
  CHECK_FALSE(view.as<OneTrace>());
}

TEST_CASE("analysis: a report that is not known here has no content, and keeps its name") {
  const AnalysisView view = parsed(R"("report":"flame","rows":[],"flames":[1])");
  CHECK(view.report.text() == "flame");
  CHECK(view.content == ReportContent{});
  CHECK(well_formed(view));
}

TEST_CASE("analysis: a number that refers to nothing is seen, whatever the report") {
  auto [traces, classes, trace, tree, graph, markov, inside] = reports();
  traces.as<Traces>()->rows[0].operation = 1;
  classes.as<Classes>()->rows[0].operation = 1;
  trace.as<OneTrace>()->steps[0].caller = 0;  // itself
  tree.as<CallTree>()->nodes[1].parent = 1;
  graph.as<DependencyGraph>()->edges[0].to = 1;
  markov.as<Markov>()->transitions[0].to = 2;
  inside.as<Inside>()->callers[1].function = 3;
  for (const AnalysisView& view : {traces, classes, trace, tree, graph, markov, inside}) {
    CAPTURE(view.report.text());
    CHECK_FALSE(well_formed(view));
  }
  CHECK_FALSE(well_formed(answer(Report::kTrace, Traces{})));  // the content of another report
}
