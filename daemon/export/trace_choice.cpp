// SPDX-License-Identifier: Apache-2.0
#include "export/trace_choice.h"

namespace compmond::exporting {

void TraceChoice::add(const traces::Trace& trace) {
  ++seen_;
  if (class_number_) return classes_.add(trace);
  if (found_ || (trace_ && *trace_ != trace.id)) return;
  found_ = graphs::EquivalenceClass{1, trace, {}, trace.real_ns(), trace.probes_ns()};
  for (const traces::TracedExecution& execution : trace.executions)
    found_->raw.emplace_back().add(execution.raw_ns());
}

Result<const graphs::EquivalenceClass*> TraceChoice::chosen() const {
  if (class_number_) {
    const auto order = classes_.by_cardinality();
    if (*class_number_ >= 1 && *class_number_ <= order.size())
      return &classes_.classes()[order[*class_number_ - 1]];
    return fail(Exit::kNoInput, fmt::format("there is no class {}", *class_number_),
                fmt::format("the log's traces form {} classes", order.size()),
                "--report equivalence-classes lists them.");
  }
  if (found_) return &*found_;
  if (trace_)
    return fail(Exit::kNoInput, fmt::format("there is no trace {}", *trace_),
                fmt::format("the log holds {} other traces that are whole", seen_),
                "--report traces lists them.");
  return fail(Exit::kNoInput, "there is no trace", "the log holds none that is whole",
              "Look at what is said about broken traces; --repair mends them.");
}

std::string TraceChoice::note() const {
  if (trace_ || class_number_ || seen_ < 2 || !found_) return {};
  return fmt::format(
      "shown is trace {}, the first of {}; --trace ID or --class N shows another one",
      found_->representative.id, seen_);
}

}  // namespace compmond::exporting
