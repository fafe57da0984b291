// SPDX-License-Identifier: Apache-2.0
#include "ui/views/dependencies/dependency_data.h"

#include <algorithm>

#include "text/clean.h"
#include "text/match.h"
#include "ui/views/shared/operation_name.h"

namespace compmond::ui {

void Responses::add(const snapshot::DependencyGraph::Edge& edge) {
  if (edge.count == 0) return;
  min_ns = count == 0 ? edge.min_ns : std::min(min_ns, edge.min_ns);
  max_ns = std::max(max_ns, edge.max_ns);
  const double sum = double(mean_ns) * double(count) + double(edge.mean_ns) * double(edge.count);
  count += edge.count;
  mean_ns = uint64_t(sum / double(count));
}

void DependencyData::take(const snapshot::DependencyGraph& answer) {
  for (Node& node : nodes) {
    node.present = false;
    node.called = node.itself = {};
  }
  for (auto& edge : edges) edge.count = 0;
  most = 0;
  const auto slot = [&](int number) -> Node& {
    if (size_t(number) >= nodes.size()) nodes.resize(size_t(number) + 1);
    return nodes[size_t(number)];
  };
  // A blank cannot begin a component's name, so keys of different kinds differ.
  const auto outside = [&] {
    const int number = graph.node(" outside");
    slot(number).present = true;
    return number;
  };
  std::vector<int> numbers;
  for (const auto& from : answer.nodes) {
    int frame = -1;
    if (!from.operation.empty()) {
      frame = graph.frame(" in " + from.component);
      Node& around = slot(frame);
      around.component = from.component;
      around.frame = around.present = true;
    }
    const std::string key =
        from.place ? " place " + *from.place : from.component + "\n" + from.operation;
    numbers.push_back(graph.node(key, frame));
    Node& node = slot(numbers.back());
    node.component = from.component;
    node.operation = from.operation;
    node.place = from.place.value_or("");
    node.present = true;
  }
  const auto known = [&](int32_t node) { return node < int32_t(numbers.size()); };
  for (const auto& edge : answer.edges) {
    if (edge.to < 0 || edge.from < -1 || !known(edge.to) || !known(edge.from)) continue;
    const int from = edge.from < 0 ? outside() : numbers[size_t(edge.from)];
    const int to = numbers[size_t(edge.to)];
    nodes[size_t(to)].called.add(edge);
    most = std::max(most, edge.count);
    if (from == to) {
      nodes[size_t(to)].itself.add(edge);
      continue;
    }
    const auto place = size_t(graph.edge(from, to));
    if (place >= edges.size()) edges.resize(place + 1);
    edges[place] = edge;
    edges[place].from = from;
    edges[place].to = to;
  }
}

std::string dependency_name(const DependencyData::Node& node) {
  if (node.outside()) return "$ outside";
  if (!node.place.empty()) return text::clean(node.place);
  if (node.operation.empty()) return text::clean(node.component);
  return text::clean(text::leaf(node.component)) + "  " + text::clean(node.operation);
}

std::string brief_dependency_name(const DependencyData::Node& node) {
  if (node.operation.empty()) return dependency_name(node);
  return full_name(node.component, node.operation);
}

}  // namespace compmond::ui
