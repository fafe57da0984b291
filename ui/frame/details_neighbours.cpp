// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "snapshot/doubt.h"
#include "snapshot/estimate_text.h"
#include "text/clean.h"
#include "text/numbers.h"
#include "ui/frame/details_parts.h"
#include "ui/kit/draw.h"
#include "ui/views/shared/estimated.h"

namespace compmond::ui {
namespace {

constexpr size_t kNeighbours = 8;  // of a list; the rest is counted

// What edges are ranked by: calls or, where not all were seen, raw time and then calls.
std::pair<double, double> weight_of(const snapshot::Edge& edge) {
  if (edge.seen) return {double(edge.count), 0};
  if (!edge.estimated) return {};
  const auto& raw = edge.estimated->raw_ns;
  const auto& calls = edge.estimated->calls;
  return {raw ? std::max(1.0, raw->high_ns) : 0, calls ? calls->value : 0};
}

// Before counts and times of calls that were not all seen.
const char* mark_of(const snapshot::Snapshot& snapshot, const snapshot::Edge& edge) {
  return misses_calls(snapshot, edge) ? "≥" : "";
}

std::string figure_of(const snapshot::Snapshot& snapshot, const snapshot::Edge& edge) {
  if (edge.seen) return mark_of(snapshot, edge) + text::short_count(double(edge.count));
  if (!edge.estimated) return "–";
  if (edge.estimated->calls) return "≈" + text::short_count(edge.estimated->calls->value);
  return value_text(*edge.estimated, &snapshot::Estimated::raw_ns);
}

std::string words_of(const snapshot::Snapshot& snapshot, const snapshot::Edge& edge) {
  if (edge.seen)
    return fmt::format("{0}{1} calls, raw {0}{2}", mark_of(snapshot, edge), text::count(edge.count),
                       text::duration(double(edge.raw_ns)));
  if (!edge.estimated)
    return "A connection of the spec, not seen in any sample of the window: calls may be too short "
           "or too rare for it.";
  std::string out;
  if (const auto& calls = edge.estimated->calls)
    out = fmt::format("{} calls {}, by slices that saw all that may lie between\n",
                      value_text(*calls), spread_text(*calls));
  else if (edge.not_extrapolated)
    out = fmt::format("how many calls is not told: {}\n", text::clean(*edge.not_extrapolated));
  if (!edge.estimated->raw_ns) return out + "In no sample of the window: seen in slices.";
  return out + fmt::format("raw {}\n{}",
                           interval_text(*edge.estimated, &snapshot::Estimated::raw_ns),
                           samples_text(*edge.estimated));
}

// One list of edges; returns the y below it.
float draw_edges(Panel panel, Model& model, const char* title,
                 std::vector<const snapshot::Edge*> edges, bool callers) {
  const Theme& theme = panel.theme;
  panel.heading(title, "");
  std::stable_sort(edges.begin(), edges.end(),
                   [](auto* a, auto* b) { return weight_of(*a) > weight_of(*b); });
  const size_t shown = std::min(edges.size(), kNeighbours);
  const bool any_declared =
      std::ranges::any_of(model.snapshot->edges, [](const auto& edge) { return edge.declared; });
  for (size_t i = 0; i < shown; ++i) {
    const snapshot::Edge& edge = *edges[i];
    const std::string path = callers ? edge.from.value_or("") : edge.to;
    const std::string name = edge.unknown   ? "cut off"
                             : path.empty() ? "outside"
                                            : model.name_of(path);
    const float row = panel.px(22);
    ImGui::PushID(callers ? int(i) : int(i) + 1000);
    panel.list->AddRectFilled({panel.left, panel.y}, {panel.right, panel.y + row - panel.px(3)},
                              theme.raised, panel.px(4));
    const bool clicked = panel.line("edge", panel.left, panel.right, row - panel.px(3), false);
    ImGui::PopID();
    if (clicked && !path.empty()) model.selection = {path, "", {}};
    // As in the map: only a spec that has connections lacks others, and none from outside.
    const bool undeclared = !edge.declared && edge.from && any_declared;
    const ImU32 ink = undeclared                               ? theme.strong
                      : weight_of(edge) == std::pair(0.0, 0.0) ? theme.dim
                                                               : theme.text;
    const std::string count = figure_of(*model.snapshot, edge);
    const float y = panel.y + (row - panel.px(3) - theme.body->FontSize) / 2;
    const float width = text_size(theme.mono, count).x;
    draw_text(panel.list, theme.body, {panel.left + panel.px(8), y}, ink, name,
              panel.width() - width - panel.px(24), model.short_names);
    draw_text_right(panel.list, theme.mono, {panel.right - panel.px(8), y}, ink, count);
    if (ImGui::IsItemHovered())
      tooltip(theme,
              fmt::format("{}{}",
                          edge.unknown   ? "callers that sampled stacks lack"
                          : path.empty() ? "outside"
                                         : text::clean(path),
                          undeclared ? " (not in the spec)" : ""),
              words_of(*model.snapshot, edge),
              definition(edge.seen ? Term::kEdgeTime : Term::kEdgeEstimated).text);
    panel.y += row;
  }
  if (edges.size() > shown) panel.note(fmt::format("and {} more", edges.size() - shown));
  if (edges.empty()) panel.note("none");
  return panel.y;
}

}  // namespace

void draw_neighbours(Panel& panel, Model& model, const snapshot::Component& component) {
  std::vector<const snapshot::Edge*> callers, callees;
  for (const auto& edge : model.snapshot->edges) {
    if (edge.to == component.name) callers.push_back(&edge);
    if (edge.from && *edge.from == component.name) callees.push_back(&edge);
  }
  const float middle = (panel.left + panel.right) / 2, gap = panel.px(8);
  Panel one = panel, other = panel;
  one.right = middle - gap;
  other.left = middle + gap;
  panel.y = std::max(draw_edges(one, model, "callers", callers, true),
                     draw_edges(other, model, "calls", callees, false));
}

}  // namespace compmond::ui
