// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "graphs/call_tree.h"
#include "graphs/dependency_graph.h"
#include "traces/traced.h"

namespace compmond::graphs {

// Traces with the same control flow: the same operations (on the same hosts, where hosts count), in
// the same order, called by the same ones. Times, sessions and failures do not matter.
struct EquivalenceClass {
  uint64_t cardinality = 0;       // traces
  traces::Trace representative;   // the first of them
  std::vector<RawTimes> raw;      // per execution of the representative, over all traces
  std::vector<uint64_t> real_ns;  // likewise, the sums
  std::vector<double> probes_ns;  // likewise: what probes added to real_ns
};

// Sorts traces into classes; keeps one trace per class.
class EquivalenceClasses {
 public:
  explicit EquivalenceClasses(bool with_host) : with_host_(with_host) {}

  void add(const traces::Trace& trace);

  // In the order of their first traces.
  const std::vector<EquivalenceClass>& classes() const { return classes_; }
  // Positions in classes(), those with the most traces first.
  std::vector<uint32_t> by_cardinality() const;

 private:
  bool same(const traces::Trace& a, const traces::Trace& b) const;
  uint64_t hash(const traces::Trace& trace) const;

  bool with_host_;
  std::vector<EquivalenceClass> classes_;
  std::unordered_multimap<uint64_t, uint32_t> by_hash_;
};

// The dynamic call tree of a class: a node per execution of its traces, with the sums over all of
// them.
CallTree call_tree(const EquivalenceClass& of, const traces::Catalogue& catalogue, Naming naming);

}  // namespace compmond::graphs
