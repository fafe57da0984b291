// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "../trace/recorder.h"
#include "figures/figures.h"
#include "history/store.h"
#include "trace/tracer.h"

namespace compmond::figures {

constexpr uint64_t kMs = 1'000'000;

// A tracer that feeds a store, and everything that was executed.
struct Scene : trace::ExecutionSink {
  explicit Scene(std::vector<int> component_of, std::vector<int> parent_of,
                 size_t budget = 64 << 20, history::Objectives objectives = {})
      : store({component_of.size(), 0, budget, objectives}),
        tracer(component_of, *this, trace::Tracer::Stacks::kOrdinary, 64) {
    model.objectives = std::move(objectives);
    model.inside_ns.resize(component_of.size());
    model.outside_ns.resize(component_of.size());
    model.component_of = std::move(component_of);
    model.parent_of = std::move(parent_of);
  }

  void on_begin(const trace::Begun& execution) override { store.on_begin(execution); }
  void on_top(OperationId op, uint64_t from, uint64_t to) override { store.on_top(op, from, to); }
  void on_closed(const trace::Execution& execution) override {
    closed.push_back(execution);
    store.on_closed(execution);
  }
  void on_whole(const trace::Execution& execution) override {
    closed.push_back(execution);
    store.on_whole(execution);
  }

  void on_orphan(OperationId op) override { store.on_orphan(op); }

  Scene& feed(uint32_t thread, const std::vector<record::Event>& events) {
    store.on_thread(thread, {1, thread + 1, 0, "t"});
    tracer.on_events(thread, events);
    return *this;
  }
  history::Checkpoint checkpoint(uint64_t as_of_ns) const {
    history::Checkpoint out;
    store.fill(out);
    out.as_of_ns = as_of_ns;
    tracer.open_executions(out.open);
    out.trace = tracer.ledger();
    return out;
  }
  Result figures(uint64_t as_of_ns, Window window, const Filter& filter = {}) const {
    return figures::figures(store, checkpoint(as_of_ns), model, window, filter);
  }
  Result whole(uint64_t as_of_ns) const { return figures(as_of_ns, {0, as_of_ns}); }

  Model model;
  history::Store store;
  std::vector<trace::Execution> closed;
  trace::Tracer tracer;
};

inline auto fields(const Figures& f) {
  return std::tie(f.calls, f.open, f.raw_ns, f.real_ns, f.net_real_ns, f.uncertain, f.executions,
                  f.mean_ns, f.min_ns, f.max_ns, f.p50_ns, f.p90_ns, f.p99_ns, f.closed[0],
                  f.closed[1], f.closed[2], f.closed[3], f.closed[4], f.truncated, f.violations,
                  f.unseen_violations, f.violating_now);
}

}  // namespace compmond::figures
