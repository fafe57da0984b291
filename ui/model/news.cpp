// SPDX-License-Identifier: Apache-2.0
#include "ui/model/news.h"

#include <cmath>
#include <optional>
#include <vector>

namespace compmond::ui {
namespace {

using Samples = std::optional<snapshot::SamplesHealth>;

// Another zoom, or the first one.
bool same_scale(const std::optional<snapshot::StripView>& one, const snapshot::StripView& other) {
  return one && one->columns == other.columns &&
         one->end_ns - one->start_ns == other.end_ns - other.start_ns &&
         one->real_ns.size() == other.real_ns.size();
}

// Exact CPU times move with whatever runs, and something always does: a server's idle processes
// look after themselves. What is too little to glow waits for the next picture.
bool tells_of_what_ran(const Samples& one, const Samples& other, double window_ns) {
  constexpr double kLittle = 0.01;
  if (!one || !other) return one.has_value() != other.has_value();
  const auto moved = [&](double before, double now) {
    return std::abs(now - before) > kLittle * window_ns;
  };
  return one->hz != other->hz || one->lost != other->lost || moved(one->cpu_ns, other->cpu_ns) ||
         moved(one->elsewhere_cpu_ns.value_ns, other->elsewhere_cpu_ns.value_ns);
}

// Without what rests on samples; ranks may.
std::vector<snapshot::Component> calls_of(std::vector<snapshot::Component> components) {
  const auto strip = [](snapshot::Figures& figures) {
    figures.estimated.reset();
    figures.hotness = 0;
  };
  for (snapshot::Component& component : components) {
    strip(component.figures);
    component.subtree.estimated.reset();
    for (snapshot::Operation& operation : component.operations) strip(operation.figures);
  }
  return components;
}

std::vector<snapshot::Edge> calls_of(std::vector<snapshot::Edge> edges) {
  for (snapshot::Edge& edge : edges) edge.estimated.reset();
  return edges;
}

// Also while nothing arrives, as that may be why.
bool same_switches(const snapshot::Health& one, const snapshot::Health& other) {
  return one.switches == other.switches && one.disabled == other.disabled &&
         one.probes_paused == other.probes_paused;
}

bool same_calls(const snapshot::Snapshot& one, const snapshot::Snapshot& other) {
  return calls_of(one.components) == calls_of(other.components) &&
         calls_of(one.edges) == calls_of(other.edges);
}

}  // namespace

bool tells_news(const Model& model, const snapshot::View& view) {
  if (!model.window.live || !view.run.live || view.run.events_per_s > 0) return true;
  if (model.run.live != view.run.live || model.run.paused != view.run.paused) return true;
  if (!model.snapshot || !view.snapshot) return true;
  const snapshot::Snapshot &one = *model.snapshot, &other = *view.snapshot;
  const auto window_ns = double(other.window_end_ns - other.window_start_ns);
  if (tells_of_what_ran(one.health.samples, other.health.samples, window_ns) ||
      !same_calls(one, other) || !same_switches(one.health, other.health) ||
      one.metric != other.metric || one.targets != other.targets ||
      one.health.lost != other.health.lost || one.health.notes != other.health.notes)
    return true;
  if (view.strip && !same_scale(model.strip, *view.strip)) return true;
  return (view.executions && view.executions->executions.size() > 0) ||
         (view.details && model.details != view.details);
}

}  // namespace compmond::ui
