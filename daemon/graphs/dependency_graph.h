// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "graphs/naming.h"

namespace compmond::graphs {

// Raw times of some executions, ns.
struct RawTimes {
  uint64_t count = 0;
  uint64_t sum_ns = 0;
  uint64_t min_ns = UINT64_MAX;
  uint64_t max_ns = 0;

  void add(uint64_t raw_ns) {
    ++count;
    sum_ns += raw_ns;
    min_ns = std::min(min_ns, raw_ns);
    max_ns = std::max(max_ns, raw_ns);
  }
  uint64_t mean_ns() const { return count ? sum_ns / count : 0; }
  bool operator==(const RawTimes&) const = default;
};

constexpr int32_t kOutsideNode = -1;

// Who calls whom, how often, and how long the callee took. An execution makes one edge, from what
// its caller belongs to, to what it belongs to itself; from kOutsideNode at the bottom. Calls of a
// component or host to itself are edges only on request; those of an operation (recursion) always.
class DependencyGraph {
 public:
  DependencyGraph(const traces::Catalogue& catalogue, Naming naming, bool self_calls = false)
      : nodes_(catalogue, naming), self_calls_(self_calls || naming.level == Level::kOperation) {}

  void add(const traces::Trace& trace);

  struct Edge {
    int32_t from = kOutsideNode;
    int32_t to = 0;
    RawTimes raw;  // of the callee's executions; count: calls
  };
  // By (from, to).
  std::vector<Edge> edges() const;
  const Nodes& nodes() const { return nodes_; }
  // [from + 1][to]: calls; row 0 is the outside.
  std::vector<std::vector<uint64_t>> matrix() const;

 private:
  Nodes nodes_;
  bool self_calls_;
  std::unordered_map<uint64_t, RawTimes> edges_;  // from + 1, to
  std::vector<uint32_t> node_of_;                 // of the trace's executions; reused
};

}  // namespace compmond::graphs
