// SPDX-License-Identifier: Apache-2.0
#include "present/heat.h"

#include <algorithm>

#include "estimate/estimates.h"
#include "figures/metric.h"
#include "present/estimated_parts.h"
#include "present/known.h"

namespace compmond::present {
namespace {

using estimate::Estimates;
using figures::Figures;

constexpr uint64_t kLeastPastNs = 1'000'000;  // shorter ones say nothing of a share

// What is ranked, in the snapshot's order.
struct Ranked {
  std::vector<Figures> components, operations;
};

// What samples tell of a value, as it is shown: of an upper bound alone nothing is.
double told(const std::optional<snapshot::Estimated>& of, snapshot::TimeOf time) {
  return of && (*of).*time && !only_bound(*of, time) ? ((*of).*time)->value_ns : 0;
}

Figures of_samples(const std::optional<snapshot::Estimated>& of) {
  Figures out;
  out.sampled = true;
  out.net_real_ns = uint64_t(std::max(0.0, told(of, &snapshot::Estimated::net_real_ns)));
  out.cpu_ns = uint64_t(told(of, &snapshot::Estimated::cpu_ns));
  return out;
}

// `operation` and `component` give the estimates of each, by its index.
template <class OfOperation, class OfComponent>
Ranked by_samples(const RunParts& run, OfOperation operation, OfComponent component) {
  Ranked out;
  for (size_t i = 0; i < run.plan.operations.size(); ++i)
    out.operations.push_back(of_samples(operation(i)));
  for (size_t i = 0; i < run.spec.components.size(); ++i)
    out.components.push_back(of_samples(component(i)));
  return out;
}

// As the snapshot shows it.
Ranked shown_by_samples(const RunParts& run, snapshot::Snapshot& in) {
  const std::vector<snapshot::Operation*> operations = all_operations(run, in);
  return by_samples(
      run, [&](size_t i) { return operations[i]->figures.estimated; },
      [&](size_t i) { return in.components[i].figures.estimated; });
}

class Heater {
 public:
  Heater(const RunParts& run, const figures::Model& model, const SnapshotChoice& choice,
         const figures::Result& result, snapshot::Snapshot& out)
      : run_(run),
        model_(model),
        choice_(choice),
        metric_(*figures::metric(choice.metric)),
        window_(known_window(out)),
        tell_times_(run.samples && samples_tell_times(run, choice.window)),
        by_samples_(run.samples && (tell_times_ || metric_.basis() == figures::Basis::kSamples)),
        shown_(by_samples_ ? shown_by_samples(run, out) : seen(result)),
        out_(out) {}

  void heat() {
    out_.heat.emplace();
    out_.heat->ranks = metric_.ranks();
    // What samples do not tell of all is not told of some.
    if (tell_times_ && metric_.basis() == figures::Basis::kCalls) return;
    if (metric_.ranks() == RankedFigure::kDeviation) deviate();
    const Ranked whole = choice_.heat.scale == HeatScale::kRun ? ranked_in(run_window()) : Ranked{};
    const figures::Scale scale =
        figures::scale_of(metric_, shown_.components, wish(whole.components));
    out_.heat->scale = scale.of;
    out_.heat->full = scale.full >= scale.floor ? scale.full : 0;
    out_.heat->cold = scale.cold;
    out_.heat->floor = scale.floor;
    put(scale, shown_.components, [&](size_t i) { return &out_.components[i].figures; });
    const std::vector<snapshot::Operation*> operations = all_operations(run_, out_);
    put(figures::scale_of(metric_, shown_.operations, wish(whole.operations)), shown_.operations,
        [&](size_t i) { return &operations[i]->figures; });
  }

 private:
  // Of times without what only waits.
  Ranked seen(const figures::Result& result) const {
    return metric_.unit() == figures::Unit::kCount
               ? Ranked{result.components, result.operations}
               : Ranked{result.working, result.working_operations};
  }

  Window run_window() const { return {run_.checkpoint.start_ns, run_.checkpoint.as_of_ns}; }

  // The same in another window, resting on the same.
  Ranked ranked_in(Window window) const {
    if (by_samples_) {
      const Estimates estimates(run_.samples->store, window);
      return by_samples(
          run_, [&](size_t i) { return said(estimates.operation(int(i))); },
          [&](size_t i) { return said(estimates.component(int(i))); });
    }
    const figures::Result result =
        figures::figures(run_.store, run_.checkpoint, model_, window, choice_.filter);
    return seen(result);
  }

  figures::HeatChoice wish(const std::vector<Figures>& whole) const {
    figures::HeatChoice out;
    out.scale = choice_.heat.scale.known().value_or(HeatScale::kWindow);
    out.floor_share = choice_.heat.floor_pct / 100;
    out.window_ns = window_.length();
    out.run_ns = run_window().length();
    if (!whole.empty()) out.run = &whole;
    return out;
  }

  // From the saved snapshot or, where there is none, from the run before the window.
  void deviate() {
    const auto length = double(window_.length());
    if (run_.baseline) {
      const auto compare = [&](Figures& now, const auto& saved, const auto& name) {
        if (const auto before = saved.find(name); before != saved.end())
          now.deviation_ns = double(now.net_real_ns) - before->second * length;
      };
      for (size_t i = 0; i < shown_.components.size(); ++i)
        compare(shown_.components[i], run_.baseline->components, out_.components[i].name);
      const std::vector<snapshot::Operation*> operations = all_operations(run_, out_);
      for (size_t i = 0; i < shown_.operations.size(); ++i) {
        const auto component = size_t(run_.plan.operations[i].component);
        compare(shown_.operations[i], run_.baseline->operations,
                std::pair(out_.components[component].name, operations[i]->name));
      }
      return;
    }
    const Window past{run_.checkpoint.start_ns,
                      std::max(run_.checkpoint.start_ns, window_.start_ns)};
    if (past.length() < kLeastPastNs) {
      out_.health.notes.push_back(
          "the metric 'deviation' compares with the run before the window, and there is none: "
          "nothing is hot by it. Choose a window that begins later, or run with --baseline FILE");
      return;
    }
    const Ranked before = ranked_in(past);
    const auto compare = [&](std::vector<Figures>& now, const std::vector<Figures>& then) {
      for (size_t i = 0; i < now.size(); ++i)
        now[i].deviation_ns = double(now[i].net_real_ns) -
                              double(then[i].net_real_ns) / double(past.length()) * length;
    };
    compare(shown_.components, before.components);
    compare(shown_.operations, before.operations);
  }

  template <class Place>
  void put(const figures::Scale& scale, const std::vector<Figures>& figures, Place place) const {
    const std::vector<double> hot = figures::heat(metric_, scale, figures);
    for (size_t i = 0; i < figures.size(); ++i) {
      snapshot::Figures& to = *place(i);
      to.hotness = hot[i];
      to.ranked = metric_.value(figures[i]);
      to.deviation_ns = figures[i].deviation_ns;
    }
  }

  const RunParts& run_;
  const figures::Model& model_;
  const SnapshotChoice& choice_;
  const figures::Metric& metric_;
  const Window window_;
  const bool tell_times_, by_samples_;
  Ranked shown_;
  snapshot::Snapshot& out_;
};

}  // namespace

void add_heat(const RunParts& run, const figures::Model& model, const SnapshotChoice& choice,
              const figures::Result& result, snapshot::Snapshot& out) {
  Heater(run, model, choice, result, out).heat();
}

Baseline baseline_of(const snapshot::Snapshot& saved) {
  Baseline out;
  const auto length = double(known_window(saved).length());
  if (length <= 0) return out;
  const auto share = [&](const snapshot::Figures& f) {
    return std::max(0.0, shown_real_ns(f) / length);
  };
  for (const snapshot::Component& component : saved.components) {
    out.components[component.name] = share(component.figures);
    for (const snapshot::Operation& operation : component.operations)
      out.operations[{component.name, operation.name}] = share(operation.figures);
  }
  return out;
}

}  // namespace compmond::present
