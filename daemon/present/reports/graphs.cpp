// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <queue>
#include <string_view>
#include <tuple>
#include <utility>

#include "graphs/call_tree.h"
#include "graphs/dependency_graph.h"
#include "graphs/markov.h"
#include "reports/kinds.h"

namespace compmond::present {
namespace {

using compmond::traces::Trace;
using snapshot::AnalysisRequest;

// The nodes with the most raw time among those whose parents are there.
std::vector<char> heaviest(const std::vector<graphs::CallTree::Node>& nodes, size_t limit) {
  std::vector<char> kept(nodes.size(), 0);
  std::priority_queue<std::tuple<uint64_t, uint64_t, uint32_t>> next;
  next.emplace(UINT64_MAX, 0, 0);
  for (size_t count = 0; count < limit && !next.empty(); ++count) {
    const uint32_t node = std::get<2>(next.top());
    next.pop();
    kept[node] = 1;
    for (const uint32_t child : nodes[node].children)
      next.emplace(nodes[child].raw_ns, nodes.size() - child, child);  // the first of equal ones
  }
  return kept;
}

graphs::CallTree tree_of(const Chosen& chosen, const AnalysisRequest& request) {
  using graphs::CallTree;
  const graphs::Naming naming;  // operations
  if (request.class_number && !request.trace && !chosen.traces.empty())
    return graphs::call_tree(classes_of(chosen).classes().front(), chosen.catalogue, naming);
  CallTree tree(chosen.catalogue, naming,
                request.trace ? CallTree::Kind::kDynamic : CallTree::Kind::kAggregated);
  for (const Trace* trace : chosen.traces) tree.add(*trace);
  return tree;
}

std::vector<snapshot::GraphNode> named(const graphs::Nodes& nodes) {
  std::vector<snapshot::GraphNode> out;
  const graphs::Level level = nodes.naming().level;
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    out.push_back({nodes.component(i), nodes.operation(i)});
    if (level == graphs::Level::kProgram || level == graphs::Level::kHost)
      out.back().place = nodes.name(i);
  }
  return out;
}

// Keeps those that count most, in their order.
template <class T>
void keep_most(std::vector<T>& list, size_t limit, uint64_t& left_out) {
  if (list.size() <= limit) return;
  std::vector<uint64_t> counts;
  for (const T& one : list) counts.push_back(one.count);
  std::ranges::nth_element(counts, counts.begin() + ptrdiff_t(limit) - 1, std::greater<>());
  const uint64_t least = counts[limit - 1];
  size_t room = limit - size_t(std::ranges::count_if(list, [&](const T& one) {
                  return one.count > least;
                }));  // for those that count as many
  left_out += list.size() - limit;
  std::erase_if(list, [&](const T& one) {
    if (one.count != least) return one.count < least;
    if (room == 0) return true;
    --room;
    return false;
  });
}

}  // namespace

snapshot::CallTree call_tree(const Chosen& chosen, const AnalysisRequest& request,
                             Mentioned& mentioned, uint64_t& left_out) {
  const graphs::CallTree tree = tree_of(chosen, request);
  const auto& nodes = tree.nodes();
  const std::vector<char> kept = heaviest(nodes, request.limit);
  std::map<std::pair<std::string_view, std::string_view>, uint32_t> numbers;
  const auto& operations = chosen.catalogue.operations();
  for (uint32_t i = 0; i < operations.size(); ++i)
    numbers[{operations[i].component, operations[i].name}] = i;
  const auto operation = [&](int32_t thing) -> int64_t {
    if (thing < 0) return -1;
    const auto& names = tree.names();
    return mentioned.number(
        numbers.at({names.component(uint32_t(thing)), names.operation(uint32_t(thing))}));
  };
  snapshot::CallTree out;
  std::vector<uint32_t> order{0};  // parents before children, siblings together
  std::vector<int32_t> parent{-1};
  for (size_t i = 0; i < order.size(); ++i) {
    const graphs::CallTree::Node& node = nodes[order[i]];
    out.nodes.push_back({parent[i], operation(node.thing), node.count, node.raw_ns, node.real_ns,
                         less_probes(node.real_ns, node.probes_ns)});
    for (const uint32_t child : node.children)
      if (kept[child]) {
        order.push_back(child);
        parent.push_back(int32_t(i));
      }
  }
  left_out = nodes.size() - out.nodes.size();
  return out;
}

snapshot::DependencyGraph dependency_graph(const Chosen& chosen, graphs::Naming naming,
                                           size_t limit, uint64_t& left_out) {
  graphs::DependencyGraph graph(chosen.catalogue, naming);
  for (const Trace* trace : chosen.traces) graph.add(*trace);
  snapshot::DependencyGraph out{named(graph.nodes()), {}};
  for (const auto& edge : graph.edges())
    out.edges.push_back(
        {edge.from, edge.to, edge.raw.count, edge.raw.min_ns, edge.raw.mean_ns(), edge.raw.max_ns});
  keep_most(out.edges, limit, left_out);
  return out;
}

snapshot::Markov markov(const Chosen& chosen, graphs::Naming naming, size_t limit,
                        uint64_t& left_out) {
  graphs::MarkovChain chain(chosen.catalogue, naming);
  for (const Trace* trace : chosen.traces) chain.add(*trace);
  snapshot::Markov out{named(chain.nodes()), {}, {}};
  for (const auto& state : chain.states())
    out.states.push_back({state.from, state.to, state.kind == graphs::Message::Kind::kCall});
  for (const auto& edge : chain.edges())
    out.transitions.push_back({edge.from, edge.to, edge.probability, edge.count});
  keep_most(out.transitions, limit, left_out);
  return out;
}

}  // namespace compmond::present
