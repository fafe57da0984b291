// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "text/clean.h"
#include "text/match.h"
#include "text/numbers.h"
#include "ui/frame/details_parts.h"
#include "ui/frame/frame.h"
#include "ui/kit/draw.h"
#include "ui/views/shared/definitions.h"
#include "ui/views/shared/heat.h"

namespace compmond::ui {
namespace {

void draw_title(Panel& panel, Model& model, const snapshot::Component& component) {
  const Theme& theme = panel.theme;
  const float side = panel.px(12), y = panel.y;
  panel.list->AddRectFilled(
      {panel.left, y + panel.px(5)}, {panel.left + side, y + panel.px(5) + side},
      heat_of(theme, model, component.name, model.eased_of(component.name).hotness), panel.px(3));
  panel.list->AddRect({panel.left, y + panel.px(5)}, {panel.left + side, y + panel.px(5) + side},
                      theme.bar_line, panel.px(3));
  const std::string name = text::clean(text::leaf(component.name));
  const float x = panel.left + side + panel.px(8), close = panel.px(20);
  const bool cut = draw_text(panel.list, theme.title, {x, y}, theme.strong, name,
                             panel.right - x - close - panel.px(6));
  if ((cut || component.parent) && panel.hovers(x, panel.right - close, y, theme.title->FontSize))
    tooltip(theme, text::clean(component.name), "");
  const ImVec2 middle{panel.right - panel.px(6), y + theme.title->FontSize / 2};
  ImGui::SetCursorScreenPos({panel.right - close, y});
  if (ImGui::InvisibleButton("close", {close, theme.title->FontSize})) model.selection = {};
  const ImU32 colour = ImGui::IsItemHovered() ? theme.strong : theme.dim;
  const float r = panel.px(4);
  panel.list->AddLine({middle.x - r, middle.y - r}, {middle.x + r, middle.y + r}, colour,
                      panel.px(1.3f));
  panel.list->AddLine({middle.x - r, middle.y + r}, {middle.x + r, middle.y - r}, colour,
                      panel.px(1.3f));
  if (ImGui::IsItemHovered()) tooltip(theme, "", "Deselect (Esc)");
  panel.y += theme.title->FontSize + panel.px(8);
}

void draw_trust(Panel& panel, const snapshot::Component& component) {
  const auto& figures = component.figures;
  if (component.status != snapshot::Status::kAttached) {
    size_t refused = 0;
    std::string why;
    for (const auto& operation : component.operations)
      if (operation.exit_mode == snapshot::ExitMode::kRefused && refused++ == 0)
        why = text::clean(operation.name) + ": " + text::clean(operation.reason);
    panel.warning(fmt::format("{} of {} operations are not observed. {}", refused,
                              component.operations.size(), why));
  }
  if (figures.closed.lossy > 0)
    panel.warning(
        fmt::format("The ends of {} executions were not seen: lost, or the probes were away.",
                    text::count(figures.closed.lossy)));
  if (figures.at_least) panel.warning("At least: some calls in the window were not seen.");
  if (figures.uncertain)
    panel.warning("Uncertain: probe cost is more than a third of its real time.");
  if (figures.truncated > 0)
    panel.warning(fmt::format("{} executions too deep: their ends were not seen.",
                              text::count(figures.truncated)));
}

void draw_figures(Panel& panel, const snapshot::Component& component, const Model& model) {
  const auto& f = component.figures;
  const double seconds = double(model.figures_interval().length()) / 1e9;
  const Theme& theme = panel.theme;
  const ImU32 ink = f.uncertain || f.closed.lossy > 0 ? theme.amber : theme.strong;
  panel.figure("hotness", text::hotness(f.hotness), Term::kHotness);
  panel.figure("calls",
               fmt::format("{}  {}", text::count(f.calls),
                           text::per_second(seconds > 0 ? double(f.calls) / seconds : 0)),
               Term::kCalls);
  panel.figure("real (net)", text::duration(double(f.net_real_ns)), Term::kNetReal, ink);
  panel.figure("probe cost taken out",
               text::duration(double(f.real_ns - std::min(f.real_ns, f.net_real_ns))),
               Term::kProbeCostOut);
  panel.figure("raw", text::duration(double(f.raw_ns)), Term::kRaw);
  panel.figure(
      "mean / p50",
      fmt::format("{} / {}", text::duration(double(f.mean_ns)), text::duration(double(f.p50_ns))),
      Term::kMean);
  panel.figure(
      "p90 / p99",
      fmt::format("{} / {}", text::duration(double(f.p90_ns)), text::duration(double(f.p99_ns))),
      Term::kP99);
  panel.figure(
      "min / max",
      fmt::format("{} / {}", text::duration(double(f.min_ns)), text::duration(double(f.max_ns))),
      Term::kMax);
  if (f.open > 0) panel.figure("still open", text::count(f.open), Term::kOpen);
  const uint64_t otherwise = f.closed.abandoned + f.closed.thread_exit + f.closed.exec;
  if (otherwise > 0) panel.figure("left otherwise", text::count(otherwise), Term::kAbandoned);
  if (!component.operations.empty()) {
    const auto& first = component.operations.front();
    const bool same = std::all_of(component.operations.begin(), component.operations.end(),
                                  [&](const auto& o) { return o.exit_mode == first.exit_mode; });
    panel.figure("exit mode", same ? first.exit_mode.text() : "several", Term::kExitMode);
  }
}

// What to look at while nothing is selected: the hottest, and how to go on.
void draw_hottest(Panel& panel, Model& model) {
  const Theme& theme = panel.theme;
  draw_text(panel.list, theme.title, {panel.left, panel.y}, theme.strong, "Hottest");
  panel.y += theme.title->FontSize + panel.px(8);
  std::vector<const snapshot::Component*> all;
  if (model.snapshot)
    for (const auto& component : model.snapshot->components)
      if (component.figures.hotness > 0 && model.settings.shows(component.name))
        all.push_back(&component);
  std::stable_sort(all.begin(), all.end(),
                   [](auto* a, auto* b) { return a->figures.hotness > b->figures.hotness; });
  if (all.size() > 8) all.resize(8);
  for (const auto* component : all) {
    const float row = panel.px(26), y = panel.y;
    const ImVec2 min{panel.left - panel.px(6), y}, max{panel.right + panel.px(6), y + row};
    ImGui::SetCursorScreenPos(min);
    ImGui::PushID(component->name.c_str());
    if (ImGui::InvisibleButton("pick", {max.x - min.x, row}))
      model.selection = {component->name, "", {}};
    ImGui::PopID();
    if (ImGui::IsItemHovered())
      panel.list->AddRectFilled(min, max, with_alpha(theme.blue, 0.1f), panel.px(4));
    const float share = float(model.eased_of(component->name).hotness / 100);
    panel.list->AddRectFilled(
        {panel.left, y + row - panel.px(4)},
        {panel.left + (panel.right - panel.left) * share, y + row - panel.px(2)},
        heat_of(theme, model, component->name, std::max(40.f, share * 100)), panel.px(1));
    const std::string time = text::duration(double(component->figures.net_real_ns));
    const float width = text_size(theme.mono, time).x;
    draw_text(panel.list, theme.bold, {panel.left, y + panel.px(4)}, theme.text,
              text::clean(text::leaf(component->name)),
              panel.right - panel.left - width - panel.px(10));
    draw_text_right(panel.list, theme.mono, {panel.right, y + panel.px(4)}, theme.text, time);
    panel.y += row;
  }
  if (all.empty()) panel.note("No calls in this window.");
  panel.y += panel.px(8);
  panel.note(
      "Click a component for its figures, latencies, callers and newest executions. ? shows all "
      "keys.");
}

}  // namespace

void draw_details(const Canvas& canvas, Model& model) {
  const Theme& theme = canvas.theme;
  canvas.list->AddLine(canvas.min, {canvas.min.x, canvas.max.y}, theme.line);
  ImGui::SetCursorScreenPos(canvas.min);
  ImGui::BeginChild("scroll", {canvas.width(), canvas.height()});
  const float top = ImGui::GetCursorScreenPos().y;
  Panel panel{ImGui::GetWindowDrawList(), theme, canvas.min.x + theme.px(18),
              canvas.max.x - theme.px(18), top + theme.px(14)};
  if (const snapshot::Component* component = model.component(model.selection.component)) {
    draw_title(panel, model, *component);
    draw_trust(panel, *component);
    draw_figures(panel, *component, model);
    draw_objective(panel, *component);
    draw_histogram(panel, model, *component);
    draw_neighbours(panel, model, *component);
    draw_operations(panel, model, *component);
    draw_violations(panel, model, *component);
    draw_recent(panel, model, *component);
    draw_actions(panel, model, *component);
  } else {
    draw_hottest(panel, model);
  }
  // The child learns how far its content goes.
  ImGui::SetCursorScreenPos({canvas.min.x, top});
  ImGui::Dummy({1, panel.y - top + theme.px(10)});
  ImGui::EndChild();
}

}  // namespace compmond::ui
