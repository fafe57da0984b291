// SPDX-License-Identifier: Apache-2.0
#include "graphs/call_tree.h"

namespace compmond::graphs {

CallTree::CallTree(const traces::Catalogue& catalogue, Naming naming, Kind kind)
    : kind_(kind), names_(catalogue, naming), nodes_(1) {}

uint32_t CallTree::child(uint32_t parent, uint32_t thing) {
  const auto id = uint32_t(nodes_.size());
  if (kind_ == Kind::kAggregated) {
    const auto [at, added] = by_path_.emplace(uint64_t(parent) << 32 | thing, id);
    if (!added) return at->second;
  }
  nodes_.emplace_back().thing = int32_t(thing);
  nodes_[parent].children.push_back(id);
  return id;
}

void CallTree::add(const traces::Trace& trace) {
  raw_.clear();
  for (const traces::TracedExecution& execution : trace.executions)
    raw_.push_back(execution.raw_ns());
  add(trace, 1, raw_, trace.real_ns(), trace.probes_ns());
}

void CallTree::add(const traces::Trace& trace, uint64_t weight, const std::vector<uint64_t>& raw_ns,
                   const std::vector<uint64_t>& real_ns, const std::vector<double>& probes_ns) {
  node_of_.resize(trace.executions.size());
  nodes_[0].count += weight;
  for (size_t i = 0; i < trace.executions.size(); ++i) {
    const int32_t caller = trace.caller[i];
    const uint32_t parent = caller < 0 ? 0 : node_of_[size_t(caller)];
    const uint32_t at = node_of_[i] = child(parent, names_.of(trace.executions[i]));
    nodes_[at].count += weight;
    nodes_[at].raw_ns += raw_ns[i];
    nodes_[at].real_ns += real_ns[i];
    nodes_[at].probes_ns += probes_ns[i];
    if (caller < 0) nodes_[0].raw_ns += raw_ns[i];
  }
}

std::string CallTree::name(uint32_t node) const {
  return nodes_[node].thing < 0 ? traces::kOutside : names_.name(uint32_t(nodes_[node].thing));
}

}  // namespace compmond::graphs
