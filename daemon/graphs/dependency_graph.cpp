// SPDX-License-Identifier: Apache-2.0
#include "graphs/dependency_graph.h"

namespace compmond::graphs {

void DependencyGraph::add(const traces::Trace& trace) {
  node_of_.resize(trace.executions.size());
  for (size_t i = 0; i < trace.executions.size(); ++i) {
    const uint32_t to = node_of_[i] = nodes_.of(trace.executions[i]);
    const int32_t caller = trace.caller[i];
    const uint32_t from = caller < 0 ? 0 : node_of_[size_t(caller)] + 1;
    if (from == to + 1 && !self_calls_) continue;
    edges_[uint64_t(from) << 32 | to].add(trace.executions[i].raw_ns());
  }
}

std::vector<DependencyGraph::Edge> DependencyGraph::edges() const {
  std::vector<Edge> out;
  for (const auto& [key, raw] : edges_)
    out.push_back({int32_t(key >> 32) - 1, int32_t(key & UINT32_MAX), raw});
  std::sort(out.begin(), out.end(), [](const Edge& a, const Edge& b) {
    return a.from != b.from ? a.from < b.from : a.to < b.to;
  });
  return out;
}

std::vector<std::vector<uint64_t>> DependencyGraph::matrix() const {
  std::vector<std::vector<uint64_t>> out(nodes_.size() + 1,
                                         std::vector<uint64_t>(nodes_.size(), 0));
  for (const Edge& edge : edges()) out[size_t(edge.from + 1)][size_t(edge.to)] = edge.raw.count;
  return out;
}

}  // namespace compmond::graphs
