// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "figures/call_costs.h"
#include "figures/figures.h"

namespace compmond::figures {

// What passes a filter, looked up per execution.
class Sieve {
 public:
  Sieve(const Model& model, const Filter& filter);
  bool operation(OperationId op) const { return op < operations_.size() && operations_[op]; }
  bool thread(uint32_t id) const;
  bool passes(OperationId op, uint32_t thread_id, uint64_t raw_ns) const {
    return operation(op) && raw_ns >= min_duration_ns_ && thread(thread_id);
  }
  // Whether totals and tiles, which know operations only, can answer.
  bool by_operation_only() const { return threads_.empty() && min_duration_ns_ == 0; }
  // How many of a component's operations pass.
  enum class Share : uint8_t { kNone, kOne, kSome, kAll };
  Share share(int component) const;
  // Whether some but not all pass of any: then only executions one by one tell which of them are
  // the outermost.
  bool cuts() const;

 private:
  std::vector<char> operations_;
  std::vector<uint32_t> all_, passing_;  // per component: its operations
  std::vector<uint32_t> threads_;        // sorted
  uint64_t min_duration_ns_;
};

// Figures of one operation while they are being added up.
struct Tally {
  // Executions begun in the window, those ended in it, and the parts of their outermost raw times
  // that lie in it. raw_ns, min_ns and max_ns are of the whole times of those that ended.
  history::Sums sums;
  uint64_t open = 0, violating_now = 0;
  uint64_t executions = 0;   // that overlap the window, entry-only ones left out
  uint64_t real_ns = 0;      // in the window
  bool corrected = false;    // as in Model, of any
  double correction_ns = 0;  // what the probes added to the real time, but for nested calls
  // What they added to the raw times that are in `ended`: each call's own inside, and in all.
  double own_probes_ns = 0, all_probes_ns = 0;
  history::Histogram ended;  // raw times

  // Executions that all began and ended in the window, but for some that are still open.
  void add(const history::Sums& whole) {
    sums += whole;
    executions += whole.timed();
    real_ns += whole.raw_ns - whole.nested_ns;
  }
  void add(const Tally& other);
  // Without net_real_ns and uncertain.
  Figures figures() const;
};

// What the probes of nested calls cost their callers, per operation. The sums of floating-point
// numbers depend on the order of the edges.
std::vector<double> nested_cost(const CallCosts& costs,
                                const std::vector<history::EdgeTotals>& edges);

// Adds up operations, edges and threads of one window, then makes them a Result.
class Tallies {
 public:
  Tallies(const Model& model, const history::Checkpoint& checkpoint);

  Tally& operation(OperationId op) { return operations_[op]; }
  size_t operations() const { return operations_.size(); }
  // Executions of `callee` called by `caller`; `calls` counts those begun in the window. Sums here
  // are modulo 2^64: what was added too much may be taken back as a negative number.
  void add_edge(OperationId caller, OperationId callee, const history::EdgeSums& sums) {
    edges_.at(caller, callee) += sums;
  }
  // Calls whose probes cost the caller time.
  void add_nested(OperationId caller, OperationId callee, uint64_t begun) {
    nested_.at(caller, callee).calls += begun;
  }
  // The cost of nested calls is known from elsewhere: correction_ns of the operations has it.
  void forget_nested() { nested_ = {}; }
  // All edges and threads of `from`, a checkpoint or a summary.
  template <class From>
  void add_all(const From& from, const Sieve& sieve) {
    for (const history::EdgeTotals& edge : from.edges) {
      if (sieve.operation(edge.caller)) add_nested(edge.caller, edge.callee, edge.calls);
      if (sieve.operation(edge.callee)) add_edge(edge.caller, edge.callee, edge);
    }
    for (const auto& thread : from.threads) add_thread(thread.thread, thread);
  }
  void add_thread(uint32_t thread, const history::ThreadSums& sums);
  // `cut_raw_ns`: per component, where the sieve cuts any (outermost.h).
  Result finish(Window window, const Sieve& sieve, const std::vector<uint64_t>& cut_raw_ns = {});

 private:
  void sum_components(Result& result, const Sieve& sieve, const std::vector<uint64_t>& cut_raw_ns);
  void sum_edges(Result& result) const;

  const Model& model_;
  const history::Checkpoint& checkpoint_;
  CallCosts costs_;
  std::vector<Tally> operations_;
  history::EdgeTable edges_, nested_;
  std::vector<ThreadFigures> threads_;  // as in checkpoint.threads
  size_t latest_thread_ = 0;
};

}  // namespace compmond::figures
