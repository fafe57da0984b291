// SPDX-License-Identifier: Apache-2.0
#include "graphs/equivalence.h"

#include <algorithm>
#include <numeric>

#include "base/hash_mix.h"
#include "graphs/control_flow.h"

namespace compmond::graphs {

uint64_t control_flow(const traces::Trace& trace, bool with_host) {
  uint64_t hash = trace.executions.size();
  for (const traces::TracedExecution& execution : trace.executions) {
    hash = hash_mix(hash, uint64_t(execution.operation) << 32 | uint32_t(execution.ess));
    if (with_host) hash = hash_mix(hash, execution.host);
  }
  return hash;
}

// ess in the order of eoi says who called whom.
bool EquivalenceClasses::same(const traces::Trace& a, const traces::Trace& b) const {
  return std::equal(
      a.executions.begin(), a.executions.end(), b.executions.begin(), b.executions.end(),
      [&](const traces::TracedExecution& x, const traces::TracedExecution& y) {
        return x.operation == y.operation && x.ess == y.ess && (!with_host_ || x.host == y.host);
      });
}

uint64_t EquivalenceClasses::hash(const traces::Trace& trace) const {
  return control_flow(trace, with_host_);
}

void EquivalenceClasses::add(const traces::Trace& trace) {
  const uint64_t key = hash(trace);
  const auto [first, last] = by_hash_.equal_range(key);
  const auto found = std::find_if(
      first, last, [&](const auto& at) { return same(classes_[at.second].representative, trace); });
  uint32_t number = uint32_t(classes_.size());
  if (found != last) {
    number = found->second;
  } else {
    by_hash_.emplace(key, number);
    classes_.push_back({0, trace, std::vector<RawTimes>(trace.executions.size()),
                        std::vector<uint64_t>(trace.executions.size()),
                        std::vector<double>(trace.executions.size())});
  }
  EquivalenceClass& in = classes_[number];
  ++in.cardinality;
  const std::vector<uint64_t> real_ns = trace.real_ns();
  const std::vector<double> probes_ns = trace.probes_ns();
  for (size_t i = 0; i < trace.executions.size(); ++i) {
    in.raw[i].add(trace.executions[i].raw_ns());
    in.real_ns[i] += real_ns[i];
    in.probes_ns[i] += probes_ns[i];
  }
}

std::vector<uint32_t> EquivalenceClasses::by_cardinality() const {
  std::vector<uint32_t> order(classes_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return classes_[a].cardinality > classes_[b].cardinality;
  });
  return order;
}

CallTree call_tree(const EquivalenceClass& of, const traces::Catalogue& catalogue, Naming naming) {
  std::vector<uint64_t> raw_ns;
  for (const RawTimes& raw : of.raw) raw_ns.push_back(raw.sum_ns);
  CallTree tree(catalogue, naming, CallTree::Kind::kDynamic);
  tree.add(of.representative, of.cardinality, raw_ns, of.real_ns, of.probes_ns);
  return tree;
}

}  // namespace compmond::graphs
