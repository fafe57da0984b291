// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "drain.h"
#include "present/trace_analyst.h"
#include "present/view_answer.h"

// A run of so many components and seconds, as a daemon has it, that answers what a screen asks.
namespace compmond::bench {

class ScreenRun {
 public:
  // Four threads, about 500 executions per second together, four operations per component.
  ScreenRun(size_t components, uint64_t seconds)
      : shape_{.threads = 4, .operations = uint32_t(4 * components), .step_ns = kStep},
        data_(shape_) {
    for (size_t i = 0; i < components; ++i) {
      spec::Component component;
      component.name = component.path = "component " + std::to_string(i);
      spec_.components.push_back(std::move(component));
    }
    for (uint32_t op = 0; op < shape_.operations; ++op) {
      plan::PlannedOperation planned;
      planned.component = int(op % components);
      planned.ways.resize(1);
      planned.name = planned.symbol = "app::Part::operation" + std::to_string(op);
      planned.interface = op < 2 * components ? spec::Interface::kIn : spec::Interface::kOut;
      plan_.operations.push_back(std::move(planned));
    }
    spec_.name = "bench";
    states_ = plan::OperationStates(plan_);
    for (Load load(shape_, 16 * CM_CHUNK_RECORDS); data_.now_ns() < seconds * 1'000'000'000;
         load.advance())
      data_.take(load);
    checkpoint_ = data_.checkpoint();
  }

  uint64_t now_ns() const { return data_.now_ns(); }

  // As a live daemon would have answered when `earlier_ns` less had passed.
  Result<snapshot::View> answer(snapshot::ViewRequest request, uint64_t earlier_ns) {
    const uint64_t end = now_ns() - earlier_ns;
    const auto length = uint64_t(request.window.last_s * 1e9);
    request.window = {0, end > length ? end - length : 0, end};
    const present::RunParts parts{spec_,       plan_,      states_, costs_,
                                  engines_,    processes_, notes_,  data_.store(),
                                  checkpoint_, programs_,  false};
    return present::answer_view(parts, request, {.live = true, .events_per_s = 1000}, analyst_);
  }

 private:
  static constexpr uint64_t kStep = 4'000'000;  // ns between two records of a thread

  Shape shape_;
  DataSide data_;
  spec::Spec spec_;
  plan::Plan plan_;
  plan::OperationStates states_;
  plan::Costs costs_;
  std::vector<snapshot::Health::Engine> engines_{{"uprobe", "session", true}};
  target::ObservedProcesses processes_;
  std::vector<std::string> notes_;
  std::vector<target::Program> programs_{{}};
  history::Checkpoint checkpoint_;
  present::TraceAnalyst analyst_;
};

}  // namespace compmond::bench
