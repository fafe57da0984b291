// SPDX-License-Identifier: Apache-2.0
#include "drawing/drawings.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/out.h"
#include "traces/assembler.h"

using namespace compmond;
using namespace compmond::drawing;

namespace {

// buy() of Shop calls get() of Store twice, and itself once.
struct Sample {
  traces::Catalogue catalogue;
  traces::Trace trace;

  Sample() {
    catalogue.host("web");
    catalogue.session("s");
    const uint32_t buy = catalogue.operation("Shop", "buy"),
                   get = catalogue.operation("Store", "get");
    std::vector<traces::TracedExecution> all = {{7, 1000, 2000, buy, 0, 0, 0, 0, false},
                                                {7, 1100, 1200, get, 0, 0, 1, 1, false},
                                                {7, 1300, 1301, get, 0, 0, 2, 1, true},
                                                {7, 1400, 1900, buy, 0, 0, 3, 1, false}};
    REQUIRE_FALSE(traces::build_trace(all, trace));
  }
  graphs::EquivalenceClass alone() const {
    graphs::EquivalenceClass out{1, trace, {}, {}};
    for (const auto& execution : trace.executions) out.raw.emplace_back().add(execution.raw_ns());
    return out;
  }
};

template <class Draw>
std::string drawn(Draw draw) {
  StringOut out;
  REQUIRE(draw(out));
  return out.text();
}

size_t count(const std::string& text, std::string_view part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("drawings: a sequence has an activation per execution and a time per message") {
  const Sample of;
  const std::string svg = drawn([&](Out& out) {
    return draw_sequence(out, of.alone(), of.catalogue, {graphs::Level::kComponent});
  });
  CHECK(count(svg, "rx=\"1\"") == 4);
  CHECK(count(svg, ">+") == 8);
  CHECK(count(svg, "<polygon") == 8);
  CHECK(count(svg, ", failed</title>") == 2);  // the activation, and the mark at its end
  for (const char* name : {">Shop<", ">Store<", ">buy<", ">get<"}) CHECK(count(svg, name) > 0);
}

TEST_CASE(
    "drawings: a trace's timing has a bar per execution, however short, and where it waited") {
  const Sample of;
  const std::string svg = drawn([&](Out& out) {
    return draw_trace_timing(out, of.alone(), of.catalogue, {graphs::Level::kOperation});
  });
  CHECK(count(svg, "rx=\"2\"") == 4);
  CHECK(count(svg, "stroke=\"#b9c1cc\"") == 4);
  CHECK(count(svg, "fill=\"#b9c1cc\"") == 3);  // the outermost waits for three
  CHECK(count(svg, "failed</title>") == 1);
  CHECK(count(svg, "<polygon") == 2);  // calls to another row
}

TEST_CASE("drawings: a call tree is drawn in the order of first starts, a flame graph by times") {
  const Sample of;
  graphs::CallTree tree(of.catalogue, {}, graphs::CallTree::Kind::kAggregated);
  tree.add(of.trace);
  const std::string rows = drawn([&](Out& out) { return draw_tree(out, tree); });
  CHECK(rows.find(">Store.get<") > rows.find(">Shop.buy<"));
  CHECK(rows.find(">Store.get<") < rows.rfind(">Shop.buy<"));
  const std::string flame = drawn([&](Out& out) { return draw_flame(out, tree); });
  CHECK(count(flame, "rx=\"2\"") == 4);
  CHECK(count(flame, "width=\"1199.5\"") == 2);  // the root and its only child
}

TEST_CASE("drawings: a matrix has a cell per pair, and its colour says how often") {
  const Sample of;
  graphs::DependencyGraph graph(of.catalogue, {graphs::Level::kComponent}, true);
  graph.add(of.trace);
  const std::string svg = drawn([&](Out& out) { return draw_matrix(out, graph); });
  CHECK(count(svg, "rx=\"2\"") == 6);
  CHECK(count(svg, "Shop -&gt; Store: 2<") == 1);
  CHECK(count(svg, "fill=\"#e5533d\"") == 1);  // the most
}

TEST_CASE("drawings: a graph has a box per node, a line per edge, and each label is written") {
  GraphPicture picture;
  picture.title = "t";
  picture.groups = {"together"};
  picture.nodes = {{"$", -1, true, 0}, {"a\nsecond", 0, false, 1}, {"b", 0, false, 0}};
  picture.edges = {
      {0, 1, "one", 1, false}, {1, 2, "two\nlines", 0.5, true}, {1, 1, "self", 0.1, false}};
  const std::string svg = drawn([&](Out& out) { return draw_graph(out, picture); });
  CHECK(count(svg, "rx=\"7\"") == 2);
  CHECK(count(svg, "rx=\"9\"") == 1);
  CHECK(count(svg, "<path") == 3);
  CHECK(count(svg, "stroke-dasharray") == 1);
  CHECK(count(svg, "<polygon") == 3);
  for (const char* text : {">one<", ">two<", ">lines<", ">self<", ">second<", ">together<"})
    CHECK_MESSAGE(count(svg, text) == 1, text);
}

TEST_CASE("drawings: an empty graph is a title") {
  const std::string svg = drawn([&](Out& out) {
    return draw_graph(out, {"nothing", true, {}, {}, {}});
  });
  CHECK(count(svg, ">nothing<") == 2);
}
