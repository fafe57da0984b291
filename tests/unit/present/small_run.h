// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../trace/recorder.h"
#include "present/trace_analyst.h"
#include "present/view_answer.h"
#include "trace/tracer.h"

namespace compmond::present::test {

using trace::in;
using trace::out;

constexpr uint64_t kMs = 1'000'000;

// Components A, A/B and C with the operations fa, fb and fc; on thread 11 fa calls fb from 20 to 50
// ms, and on thread 12 fc is open since 70 ms. Now is 100 ms.
struct Run {
  Run()
      : store({3, 0, 1u << 20, history::Objectives({0, 25 * kMs, 20 * kMs})}),
        tracer({0, 1, 2}, store) {
    for (const char* path : {"A", "A/B", "C"}) {
      spec::Component component;
      component.path = path;
      component.name = component.path.substr(component.path.size() - 1);
      component.parent = component.path == "A/B" ? 0 : -1;
      spec.components.push_back(component);
    }
    for (int i = 0; i < 3; ++i) {
      plan::PlannedOperation op;
      op.component = i;
      op.ways.resize(1);
      op.name = op.symbol = std::string("f") + char('a' + i);
      op.slo_ms = i == 1 ? 25 : i == 2 ? 20 : 0;
      plan.operations.push_back(op);
    }
    states = plan::OperationStates(plan);
    for (uint32_t thread = 0; thread < 2; ++thread)
      store.on_thread(thread, {10, 11 + thread, 0, "t"});
    feed(0, {in(0, 900, 10 * kMs), in(1, 800, 20 * kMs), out(1, 800, 50 * kMs),
             out(0, 900, 60 * kMs)});
    feed(1, {in(2, 900, 70 * kMs)});
    store.on_loss(80 * kMs, 80 * kMs, 9);
    store.fill(checkpoint);
    checkpoint.as_of_ns = 100 * kMs;
    tracer.open_executions(checkpoint.open);
    checkpoint.trace = tracer.ledger();
  }
  void feed(uint32_t thread, const std::vector<record::Event>& events) {
    tracer.on_events(thread, events);
  }
  RunParts parts() const {
    return {spec,  plan,  states,     costs,    engines, processes,
            notes, store, checkpoint, programs, false};
  }
  Result<snapshot::View> ask(const snapshot::ViewRequest& request, RunStatus status = {}) const {
    return answer_view(parts(), request, status, analyst);
  }
  std::string refusal(const snapshot::ViewRequest& request) const {
    const auto view = ask(request);
    REQUIRE_FALSE(view);
    CHECK(view.error().code == Exit::kData);
    CHECK_FALSE(view.error().next.empty());
    return view.error().why;
  }

  spec::Spec spec;
  plan::Plan plan;
  plan::OperationStates states;
  plan::Costs costs;
  std::vector<snapshot::Health::Engine> engines{{"uprobe", "session", true}};
  target::ObservedProcesses processes;
  std::vector<std::string> notes;
  std::vector<target::Program> programs{{}};
  history::Store store;
  trace::Tracer tracer;
  history::Checkpoint checkpoint;
  mutable TraceAnalyst analyst;
};

inline bool tells(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace compmond::present::test
