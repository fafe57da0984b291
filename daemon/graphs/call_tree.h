// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "graphs/naming.h"

namespace compmond::graphs {

// Calls as a tree. Its root is the caller outside: count = traces, raw = sum of the raw times at
// the bottom, real = 0. The dynamic tree has a node per execution; the aggregated one a node per
// path of operations from the root, which sums up the executions reached on that path.
class CallTree {
 public:
  enum class Kind : uint8_t { kDynamic, kAggregated };
  CallTree(const traces::Catalogue& catalogue, Naming naming, Kind kind);

  void add(const traces::Trace& trace);
  // As `weight` traces of the same control flow, whose executions together have these times.
  void add(const traces::Trace& trace, uint64_t weight, const std::vector<uint64_t>& raw_ns,
           const std::vector<uint64_t>& real_ns, const std::vector<double>& probes_ns);

  struct Node {
    int32_t thing = -1;  // of names(); -1: the root
    uint64_t count = 0;
    uint64_t raw_ns = 0, real_ns = 0;
    double probes_ns = 0;  // what probes added to real_ns
    uint64_t net_real_ns() const { return traces::net_real_ns(real_ns, probes_ns); }
    std::vector<uint32_t> children;  // in the order of their first start
  };
  // nodes()[0] is the root; a child stands behind its parent.
  const std::vector<Node>& nodes() const { return nodes_; }
  const Nodes& names() const { return names_; }
  std::string name(uint32_t node) const;

 private:
  uint32_t child(uint32_t parent, uint32_t thing);

  Kind kind_;
  Nodes names_;
  std::vector<Node> nodes_;
  std::unordered_map<uint64_t, uint32_t> by_path_;  // parent, thing -> node
  std::vector<uint32_t> node_of_;                   // reused
  std::vector<uint64_t> raw_;                       // reused
};

}  // namespace compmond::graphs
