// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string>

#include "drawing/picture.h"
#include "snapshot/estimate_text.h"
#include "text/numbers.h"

namespace compmond::drawing {
namespace {

using snapshot::Component;
using snapshot::Edge;
using snapshot::Estimated;
using snapshot::Snapshot;

// "≈1.25 s" where it is a value without a mark; nothing where nothing was looked at.
std::string estimate_text(const Estimated& e, snapshot::TimeOf time) {
  if (!is_told(e, time)) return {};
  return (is_value(e, time) && !at_least(e, time) ? "≈" : "") + value_text(e, time);
}

// What of a component's time is shown: an estimate where the whole snapshot goes by these.
std::string time_text(const Component& component, bool estimated, double window_ns) {
  const snapshot::Figures& f = component.figures;
  if (component.status == snapshot::Status::kRefused) return "\nrefused";
  const std::string hot = "\nhotness " + text::hotness(f.hotness);
  if (!estimated)
    return "\nreal " + std::string(f.uncertain ? "~" : "") + text::duration(shown_real_ns(f)) + hot;
  const std::string real =
      f.estimated ? estimate_text(*f.estimated, &Estimated::net_real_ns) : std::string();
  if (real.empty()) return "\nin no sample";
  const double ns = f.estimated->net_real_ns->value_ns;
  const bool share = window_ns > 0 && is_value(*f.estimated, &Estimated::net_real_ns);
  return "\nreal " + real + (share ? ", " + text::percent(100 * ns / window_ns) + " of wall" : "") +
         hot;
}

// Of the callee, as this caller called it: how often, or for how long; empty of one never seen.
std::string edge_text(const Edge& edge) {
  if (edge.estimated) return estimate_text(*edge.estimated, &Estimated::raw_ns);
  return edge.count ? text::count(edge.count) + " ×" : "";
}

double much(const Edge& edge) {
  if (!edge.estimated) return double(edge.count);
  return edge.estimated->raw_ns ? edge.estimated->raw_ns->value_ns : 0;
}

std::string title_of(const Snapshot& snapshot, bool estimated) {
  std::string out =
      (estimated ? "Time by caller: " : "Calls between components: ") + snapshot.spec_name;
  if (estimated && snapshot.health.samples)
    out +=
        fmt::format(", estimated from {}", text::counted(snapshot.health.samples->taken, "sample"));
  if (!snapshot.metric.empty()) out += ", metric " + snapshot.metric;
  return out;
}

}  // namespace

GraphPicture picture(const Snapshot& snapshot) {
  GraphPicture out;
  const bool estimated = rests_on_samples(snapshot);
  const auto window_ns = double(known_window(snapshot).length());
  out.title = title_of(snapshot, estimated);
  out.nodes.push_back({traces::kOutside, -1, true, 0});
  std::map<std::string, uint32_t> numbers;
  for (const Component& component : snapshot.components) {
    numbers.emplace(component.name, uint32_t(out.nodes.size()));
    const std::string time =
        component.operations.empty() ? "" : time_text(component, estimated, window_ns);
    out.nodes.push_back({component.name + time, -1, false, component.figures.hotness / 100});
  }
  std::vector<double> weights;
  for (const Edge& edge : snapshot.edges) {
    const auto to = numbers.find(edge.to);
    const auto from = edge.from ? numbers.find(*edge.from) : numbers.end();
    if (to == numbers.end() || (edge.from && from == numbers.end())) continue;
    const std::string label = edge_text(edge);
    out.edges.push_back({edge.from ? from->second : 0, to->second, label, 0, label.empty()});
    weights.push_back(much(edge));
  }
  weigh(out, weights);
  return out;
}

}  // namespace compmond::drawing
