// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cmath>
#include <map>

#include "../traces/traces.h"
#include "graphs/dependency_graph.h"
#include "graphs/markov.h"

using namespace compmond;
using namespace compmond::graphs;
using namespace compmond::traces;
using namespace compmond::traces::test;

namespace {

// (from, to) -> count; "$" is the outside.
std::map<std::pair<std::string, std::string>, uint64_t> edges_of(const DependencyGraph& graph) {
  std::map<std::pair<std::string, std::string>, uint64_t> out;
  for (const auto& edge : graph.edges())
    out[{edge.from < 0 ? "$" : graph.nodes().name(uint32_t(edge.from)),
         graph.nodes().name(uint32_t(edge.to))}] = edge.raw.count;
  return out;
}

const Call kRecursive = {"A", "f", 1, {{"A", "g", 1, {{"B", "h", 1, {}, "b"}}}, {"A", "g"}}};

}  // namespace

TEST_CASE(
    "dependency graph: a component's calls to itself are no edges, what lies behind them is") {
  Catalogue catalogue;
  DependencyGraph graph(catalogue, {Level::kComponent});
  graph.add(traced(kRecursive, catalogue));
  CHECK(edges_of(graph) ==
        std::map<std::pair<std::string, std::string>, uint64_t>{{{"$", "A"}, 1}, {{"A", "B"}, 1}});
  CHECK(graph.matrix() == std::vector<std::vector<uint64_t>>{{1, 0}, {0, 1}, {0, 0}});
  DependencyGraph with_self(catalogue, {Level::kComponent}, true);
  with_self.add(traced(kRecursive, catalogue));
  CHECK(edges_of(with_self).at({"A", "A"}) == 2);
}

TEST_CASE("dependency graph: names follow the level") {
  Catalogue catalogue;
  DependencyGraph operations(catalogue, {Level::kOperation}), hosts(catalogue, {Level::kHost}),
      deployed(catalogue, {Level::kComponent, true});
  for (DependencyGraph* graph : {&operations, &hosts, &deployed})
    graph->add(traced(kRecursive, catalogue));
  CHECK(edges_of(operations).at({"A.f", "A.g"}) == 2);
  CHECK(edges_of(hosts) ==
        std::map<std::pair<std::string, std::string>, uint64_t>{{{"$", "a"}, 1}, {{"a", "b"}, 1}});
  CHECK(edges_of(deployed).at({"a::A", "b::B"}) == 1);
  CHECK(deployed.nodes().host(0) == "a");
}

TEST_CASE("dependency graph: programs call programs, and a host stands for one that is not known") {
  Catalogue catalogue;
  Trace trace = traced(kRecursive, catalogue);
  trace.executions[0].program = catalogue.program("shop");
  trace.executions[1].program = catalogue.program("bank");
  DependencyGraph programs(catalogue, {Level::kProgram});
  programs.add(trace);
  const auto edges = edges_of(programs);
  CHECK(edges.at({"$", "shop"}) == 1);
  CHECK(edges.at({"shop", "bank"}) == 1);
  CHECK(edges.at({"bank", "b"}) == 1);  // of this one only its host is told
  CHECK_FALSE(edges.contains({"bank", "bank"}));
}

TEST_CASE("dependency graph: an edge knows the least, mean and largest raw time") {
  Catalogue catalogue;
  DependencyGraph graph(catalogue, {Level::kComponent});
  for (const uint64_t own : {10, 20, 60}) {
    const Call call = {"A", "f", 1, {{"B", "g", own}}};
    graph.add(traced(call, catalogue, int64_t(own)));
  }
  const auto edge = graph.edges().back();
  CHECK(edge.raw.min_ns == 10);
  CHECK(edge.raw.mean_ns() == 30);
  CHECK(edge.raw.max_ns == 60);
}

TEST_CASE("dependency graph: a node on several hosts has none, unless hosts count") {
  Catalogue catalogue;
  const Call one = {"A", "f", 1, {}, "x"}, other = {"A", "f", 1, {}, "y"};
  DependencyGraph graph(catalogue, {Level::kComponent});
  graph.add(traced(one, catalogue));
  CHECK(graph.nodes().host(0) == "x");
  graph.add(traced(other, catalogue));
  CHECK(graph.nodes().size() == 1);
  CHECK_FALSE(graph.nodes().host(0).has_value());
}

TEST_CASE("dependency graph: at operation level every execution is one call") {
  CHECK(rc::check("conservation", [] {
    Catalogue catalogue;
    const Trace trace = random_trace(*numbers(), catalogue, 1);
    const bool with_host = *rc::gen::arbitrary<bool>();
    DependencyGraph graph(catalogue, {Level::kOperation, with_host});
    graph.add(trace);
    uint64_t calls = 0, raw = 0, expected = 0;
    for (const auto& edge : graph.edges()) {
      calls += edge.raw.count;
      raw += edge.raw.sum_ns;
    }
    for (const auto& e : trace.executions) expected += e.raw_ns();
    RC_ASSERT(calls == trace.executions.size());
    RC_ASSERT(raw == expected);
  }));
}

TEST_CASE("dependency graph: a coarser level only takes edges together") {
  CHECK(rc::check("levels", [] {
    Catalogue catalogue;
    const Trace trace = random_trace(*numbers(), catalogue, 1);
    DependencyGraph fine(catalogue, {Level::kOperation}),
        coarse(catalogue, {Level::kComponent}, true);
    fine.add(trace);
    coarse.add(trace);
    std::map<std::pair<std::string, std::string>, uint64_t> summed;
    const auto component = [](const std::string& name) { return name.substr(0, 1); };
    for (const auto& [ends, count] : edges_of(fine))
      summed[{component(ends.first), component(ends.second)}] += count;
    RC_ASSERT(summed == edges_of(coarse));
  }));
}

TEST_CASE("markov: what follows a message is told by its share") {
  Catalogue catalogue;
  MarkovChain chain(catalogue, {Level::kComponent});
  const Call with_b = {"A", "f", 1, {{"B", "g"}}}, alone = {"A", "f", 1};
  for (int64_t id = 0; id < 3; ++id) chain.add(traced(with_b, catalogue, id));
  chain.add(traced(alone, catalogue, 4));
  std::map<std::pair<std::string, std::string>, double> probability;
  for (const auto& edge : chain.edges())
    probability[{chain.name(edge.from), chain.name(edge.to)}] = edge.probability;
  CHECK(probability ==
        std::map<std::pair<std::string, std::string>, double>{{{"$ -> A", "A -> B"}, 0.75},
                                                              {{"$ -> A", "A --> $"}, 0.25},
                                                              {{"A -> B", "B --> A"}, 1},
                                                              {{"B --> A", "A --> $"}, 1}});
}

TEST_CASE("markov: probabilities out of a state sum to one, every message is counted") {
  CHECK(rc::check("sums", [] {
    Catalogue catalogue;
    MarkovChain chain(catalogue, {*rc::gen::element(Level::kOperation, Level::kComponent)});
    uint64_t messages = 0;
    const int traces = *rc::gen::inRange(1, 5);
    for (int id = 0; id < traces; ++id) {
      const Trace trace = random_trace(*numbers(), catalogue, id);
      chain.add(trace);
      messages += 2 * trace.executions.size();
    }
    std::map<uint32_t, double> sums;
    uint64_t followed = 0, states = 0, first = 0;
    for (const auto& edge : chain.edges()) {
      sums[edge.from] += edge.probability;
      followed += edge.count;
    }
    for (const auto& state : chain.states()) {
      states += state.count;
      first += state.first;
    }
    for (const auto& [state, sum] : sums) RC_ASSERT(std::abs(sum - 1) < 1e-9);
    RC_ASSERT(states == messages);
    RC_ASSERT(first == uint64_t(traces));
    RC_ASSERT(followed + uint64_t(traces) == messages);
  }));
}
