// SPDX-License-Identifier: Apache-2.0
#include "graphs/markov.h"

#include <fmt/format.h>

#include <algorithm>

namespace compmond::graphs {

uint32_t MarkovChain::state(const Message& message, int32_t from, int32_t to) {
  // Nodes are numbered from 0 and far fewer than 2^31, so kind and both ends fit.
  const uint64_t key = uint64_t(message.kind == Message::Kind::kReturn) << 63 |
                       uint64_t(uint32_t(from + 1)) << 31 | uint32_t(to + 1);
  const auto [at, added] = by_key_.emplace(key, uint32_t(states_.size()));
  if (added) states_.push_back({message.kind, from, to});
  return at->second;
}

void MarkovChain::add(const traces::Trace& trace) {
  ++traces_;
  node_of_.resize(trace.executions.size());
  for (size_t i = 0; i < trace.executions.size(); ++i)
    node_of_[i] = int32_t(nodes_.of(trace.executions[i]));
  const auto node = [&](int32_t execution) {
    return execution < 0 ? -1 : node_of_[size_t(execution)];
  };
  int64_t previous = -1;
  for_each_message(trace, [&](const Message& message) {
    const uint32_t now = state(message, node(message.from), node(message.to));
    ++states_[now].count;
    if (previous < 0) {
      ++states_[now].first;
    } else {
      ++states_[size_t(previous)].followed;
      ++edges_[uint64_t(previous) << 32 | now];
    }
    previous = now;
  });
}

std::vector<MarkovChain::Edge> MarkovChain::edges() const {
  std::vector<Edge> out;
  for (const auto& [key, count] : edges_) {
    const auto from = uint32_t(key >> 32);
    out.push_back(
        {from, uint32_t(key & UINT32_MAX), count, double(count) / double(states_[from].followed)});
  }
  std::sort(out.begin(), out.end(), [](const Edge& a, const Edge& b) {
    return a.from != b.from ? a.from < b.from : a.to < b.to;
  });
  return out;
}

std::string MarkovChain::name(uint32_t state) const {
  const State& s = states_[state];
  const auto end = [&](int32_t node) {
    return node < 0 ? std::string(traces::kOutside) : nodes_.name(uint32_t(node));
  };
  return fmt::format("{} {} {}", end(s.from), s.kind == Message::Kind::kCall ? "->" : "-->",
                     end(s.to));
}

}  // namespace compmond::graphs
