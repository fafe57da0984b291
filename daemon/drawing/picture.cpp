// SPDX-License-Identifier: Apache-2.0
#include "drawing/picture.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "text/numbers.h"

namespace compmond::drawing {
namespace {

using traces::kOutside;

// A place in the picture for each name of a group; -1 for no name.
class Groups {
 public:
  explicit Groups(GraphPicture& picture) : picture_(picture) {}
  int of(const std::string& name) {
    if (name.empty()) return -1;
    const auto [at, added] = numbers_.emplace(name, int(picture_.groups.size()));
    if (added) picture_.groups.push_back(name);
    return at->second;
  }

 private:
  GraphPicture& picture_;
  std::map<std::string, int> numbers_;
};

GraphPicture::Node outside() { return {kOutside, -1, true, 0}; }

std::string group_of(const graphs::Nodes& nodes, uint32_t node) {
  const bool with_host = nodes.naming().with_host;
  const std::string host = with_host ? nodes.host(node).value_or("") : "";
  switch (nodes.naming().level) {
    case graphs::Level::kOperation:
      return with_host ? host + "::" + nodes.component(node) : nodes.component(node);
    case graphs::Level::kComponent:
      return host;
    case graphs::Level::kProgram:
    case graphs::Level::kHost:
      break;
  }
  return {};
}

std::string label_of(const graphs::Nodes& nodes, uint32_t node) {
  switch (nodes.naming().level) {
    case graphs::Level::kOperation:
      return nodes.operation(node);
    case graphs::Level::kComponent:
      return nodes.component(node);
    case graphs::Level::kProgram:
    case graphs::Level::kHost:
      break;
  }
  return nodes.name(node);
}

}  // namespace

void weigh(GraphPicture& picture, const std::vector<double>& amounts) {
  double most = 1;
  for (const double amount : amounts) most = std::max(most, amount);
  for (size_t i = 0; i < amounts.size(); ++i)
    picture.edges[i].weight = std::sqrt(amounts[i] / most);
}

GraphPicture picture(const graphs::DependencyGraph& graph) {
  GraphPicture out;
  Groups groups(out);
  const graphs::Nodes& nodes = graph.nodes();
  out.title = fmt::format("Calls between {}s", to_text(nodes.naming().level));
  out.nodes.push_back(outside());
  for (uint32_t i = 0; i < nodes.size(); ++i)
    out.nodes.push_back({label_of(nodes, i), groups.of(group_of(nodes, i)), false, 0});
  std::vector<double> counts;
  for (const auto& edge : graph.edges()) {
    out.edges.push_back(
        {uint32_t(edge.from + 1), uint32_t(edge.to + 1),
         fmt::format("{} ×\nø {}", text::count(edge.raw.count), text::duration(edge.raw.mean_ns())),
         0, false});
    counts.push_back(double(edge.raw.count));
  }
  weigh(out, counts);
  return out;
}

GraphPicture picture(const graphs::CallTree& tree) {
  GraphPicture out;
  out.title = "Call tree";
  const uint64_t total = std::max<uint64_t>(tree.nodes()[0].raw_ns, 1);
  std::vector<double> counts;
  for (uint32_t i = 0; i < tree.nodes().size(); ++i) {
    const graphs::CallTree::Node& node = tree.nodes()[i];
    if (i == 0) {
      out.nodes.push_back(outside());
    } else {
      const graphs::Nodes& names = tree.names();
      const auto thing = uint32_t(node.thing);
      const std::string own = label_of(names, thing), group = group_of(names, thing);
      out.nodes.push_back(
          {fmt::format("{}{}\nraw {}, real {}", group.empty() ? "" : group + "\n", own,
                       text::duration(node.raw_ns), text::duration(node.net_real_ns())),
           -1, false, double(node.net_real_ns()) / double(total)});
    }
    for (const uint32_t child : node.children) {
      out.edges.push_back({i, child, text::count(tree.nodes()[child].count), 0, false});
      counts.push_back(double(tree.nodes()[child].count));
    }
  }
  weigh(out, counts);
  return out;
}

GraphPicture picture(const graphs::MarkovChain& chain) {
  GraphPicture out;
  out.title = "Markov chain of messages";
  out.left_to_right = false;
  out.nodes.push_back({"begin", -1, true, 0});
  for (uint32_t i = 0; i < chain.states().size(); ++i) {
    std::string label = chain.name(i);
    const size_t arrow = label.find(" -");
    if (arrow != std::string::npos) label[arrow] = '\n';
    out.nodes.push_back({std::move(label), -1, false, 0});
    if (const uint64_t first = chain.states()[i].first) {
      const double p = double(first) / double(chain.traces());
      out.edges.push_back({0, i + 1, text::probability(p), p, false});
    }
  }
  for (const auto& edge : chain.edges())
    out.edges.push_back(
        {edge.from + 1, edge.to + 1, text::probability(edge.probability), edge.probability, false});
  return out;
}

}  // namespace compmond::drawing
