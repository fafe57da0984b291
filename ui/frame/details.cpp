// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "snapshot/doubt.h"
#include "snapshot/estimate_text.h"
#include "text/clean.h"
#include "text/match.h"
#include "text/numbers.h"
#include "ui/frame/details_parts.h"
#include "ui/frame/frame.h"
#include "ui/kit/draw.h"
#include "ui/model/switching.h"
#include "ui/views/shared/definitions.h"
#include "ui/views/shared/estimated.h"
#include "ui/views/shared/heat.h"
#include "ui/views/shared/ranked.h"

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

void draw_trust(Panel& panel, const snapshot::Snapshot& snapshot,
                const snapshot::Component& component) {
  const auto& figures = component.figures;
  if (component.status != snapshot::Status::kAttached &&
      component.status != snapshot::Status::kSampled) {
    size_t refused = 0;
    std::string why;
    for (const auto& operation : component.operations)
      if (operation.exit_mode == snapshot::ExitMode::kRefused && refused++ == 0)
        why = text::clean(operation.name) + ": " + text::clean(operation.reason);
    if (refused > 0)
      panel.warning(fmt::format("{} of {} operations are not observed. {}", refused,
                                component.operations.size(), why));
  }
  // While probes were away because they are too dear, samples tell the times.
  const bool in_part = seen_in_part(figures),
             off = off_count(snapshot, component).off > 0,  // which is told already
      others = unseen_by_wish(snapshot) && !off, busy = in_part || off || others;
  if (others && !in_part) panel.note(unseen_by_wish_text(snapshot));
  if (in_part)
    panel.note(
        fmt::format("Probes did not see all components all the time: times are from samples{}.",
                    figures.at_least ? ", calls and latencies are of those that were seen" : ""));
  if (figures.closed.lossy > 0 && !busy)
    panel.warning(
        fmt::format("The ends of {} executions were not seen: lost, or the probes were away.",
                    text::count(figures.closed.lossy)));
  if (ends_unsure(figures) && !busy)
    panel.warning(fmt::format(
        "Real time may be off by {}: when some calls were left is known within bounds only.",
        text::duration(double(figures.unsure_ns))));
  if (figures.at_least && !busy)
    panel.warning(
        "At least: some calls in the window were not seen. Latencies are of those that were.");
  if (figures.uncertain && !busy)
    panel.warning(fmt::format("Uncertain real time: {}.", why_uncertain(snapshot)));
  if (figures.truncated > 0)
    panel.warning(fmt::format("{} executions too deep: their ends were not seen.",
                              text::count(figures.truncated)));
}

// A line of which the part on a CPU has the component's colour, the rest is quiet.
void draw_cpu_bar(Panel& panel, double share, ImU32 colour) {
  const float top = panel.y + panel.px(3), bottom = top + panel.px(5);
  const float middle = panel.left + panel.width() * float(share);
  panel.list->AddRectFilled({panel.left, top}, {panel.right, bottom}, panel.theme.raised,
                            panel.px(2));
  panel.list->AddRectFilled({panel.left, top}, {middle, bottom}, colour, panel.px(2));
  panel.y = bottom + panel.px(3);
}

// What hotness ranks, where it does not stand below anyway.
void draw_ranked(Panel& panel, const snapshot::Snapshot& snapshot, const snapshot::Figures& figures,
                 bool tells_share) {
  const auto ranked = ranked_figure(snapshot);
  if (ranked == snapshot::RankedFigure::kReal) return;
  if (ranked == snapshot::RankedFigure::kOfWall && tells_share) return;
  panel.figure(ranked_name(snapshot), ranked_text(snapshot, figures), Term::kHotness);
}

// Of a component whose times samples tell.
void draw_estimates(Panel& panel, const snapshot::Component& component,
                    const snapshot::Estimated& of, const Model& model) {
  using snapshot::Estimated;
  const auto& health = model.snapshot->health.samples;
  const double seconds = double(model.figures_interval().length()) / 1e9;
  const auto figure = [&](const char* label, TimeOf time, Term term, std::string_view more = {}) {
    panel.figure(label, estimate_text(of, time) + std::string(more), term, 0,
                 interval_text(of, time));
  };
  const bool group = component.operations.empty();
  if (!group) panel.figure("hotness", text::hotness(component.figures.hotness), Term::kHotness);
  const auto share = cpu_share(of, health);
  const bool tells_share = share && seconds > 0;
  if (!group) draw_ranked(panel, *model.snapshot, component.figures, tells_share);
  figure(group ? "real, with all inside" : "real (net)", &Estimated::net_real_ns, Term::kEstimated);
  if (tells_share)
    panel.figure("of the window",
                 (of.net_real_ns->at_least ? "≥" : "") +
                     text::percent(of.net_real_ns->value_ns / seconds / 1e7),
                 Term::kOfWall);
  figure("on CPU", &Estimated::cpu_ns, Term::kOnCpu);
  if (health && health->off_cpu_share <= 0)
    panel.figure("waiting", "not sampled", Term::kOffCpuShare);
  else
    figure("waiting", &Estimated::waiting_ns, Term::kWaiting);
  if (share)
    draw_cpu_bar(panel, *share,
                 heat_of(panel.theme, model, component.name,
                         std::max(60.0, model.eased_of(component.name).hotness)));
  if (of.raw_ns)
    figure("raw", &Estimated::raw_ns, Term::kRawEstimated);
  else
    panel.figure("raw", raw_text(component.figures), Term::kRaw);
  panel.figure("samples", text::count(of.samples), Term::kSamples);
  if (component.figures.seen && !group) draw_calls(panel, component.figures);
  draw_sliced(panel, component.figures);
  if (of.samples == 0)
    panel.note("In no sample of this window: the times above are upper bounds.");
  else if (few(of))
    panel.note("Samples are too few for values: the times above are upper bounds.");
  else if (!is_value(of, &Estimated::net_real_ns))
    panel.note("Its own samples are too few for values: real, on CPU and waiting are bounds.");
}

void draw_figures(Panel& panel, const snapshot::Component& component, const Model& model) {
  if (const auto* of = estimated_of(component)) return draw_estimates(panel, component, *of, model);
  const auto& f = component.figures;
  const double seconds = double(model.figures_interval().length()) / 1e9;
  const ImU32 ink =
      !unseen_by_wish(*model.snapshot) && (f.uncertain || f.closed.lossy > 0 || ends_unsure(f))
          ? panel.theme.amber
          : panel.theme.strong;
  panel.figure("hotness", text::hotness(f.hotness), Term::kHotness);
  draw_ranked(panel, *model.snapshot, f, seconds > 0);
  panel.figure("calls",
               calls_text(f) + observed_text(f) +
                   (f.calls > 0 && seconds > 0
                        ? "  " + at_least_mark(f) + text::per_second(double(f.calls) / seconds)
                        : ""),
               Term::kCalls);
  panel.figure("real (net)", text::duration(shown_real_ns(f)), Term::kNetReal, ink);
  if (seconds > 0)
    panel.figure("of the window", text::percent(shown_real_ns(f) / seconds / 1e7), Term::kOfWall);
  if (f.waiting_ns > 0)
    panel.figure("waiting", text::duration(double(f.waiting_ns)), Term::kWaitingMarked);
  panel.figure("probe cost taken out",
               text::duration(double(f.real_ns - std::min(f.real_ns, f.net_real_ns))),
               Term::kProbeCostOut);
  panel.figure("raw", raw_text(f), Term::kRaw);
  if (ranked_figure(*model.snapshot) != snapshot::RankedFigure::kMeanReal)  // it stands above
    panel.figure("mean real", single_text(f.mean_real_ns), Term::kMeanReal, ink);
  panel.figure("mean raw / p50",
               fmt::format("{} / {}", raw_single_text(f, f.mean_ns), raw_single_text(f, f.p50_ns)),
               Term::kMean);
  panel.figure("p90 / p99",
               fmt::format("{} / {}", raw_single_text(f, f.p90_ns), raw_single_text(f, f.p99_ns)),
               Term::kP99);
  panel.figure("min / max",
               fmt::format("{} / {}{}", raw_single_text(f, f.min_ns),
                           f.max_ns > 0 ? at_least_mark(f) : "", raw_single_text(f, f.max_ns)),
               Term::kMax);
  if (f.open > 0) panel.figure("still open", text::count(f.open), Term::kOpen);
  const auto ended = [&](uint64_t count, const char* mark = "") {
    const double share = 100 * double(count) / double(f.closed.all());
    return fmt::format("{0}{1}, {0}{2}", mark, text::count(count), text::percent(share));
  };
  if (const auto& c = f.closed; c.failed > 0)
    panel.figure("failed", ended(c.failed, c.failed_mark()), Term::kFailed, panel.theme.red);
  if (f.closed.left() > 0) panel.figure("left", ended(f.closed.left()), Term::kAbandoned);
  const uint64_t otherwise = f.closed.thread_exit + f.closed.exec;
  if (otherwise > 0) panel.figure("ended with thread", ended(otherwise), Term::kAbandoned);
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
  const std::string title =
      model.snapshot && ranked_figure(*model.snapshot) != snapshot::RankedFigure::kReal
          ? fmt::format("Hottest, by {}", ranked_name(*model.snapshot))
          : std::string("Hottest");
  draw_text(panel.list, theme.title, {panel.left, panel.y}, theme.strong, title);
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
    const std::string time = ranked_text(*model.snapshot, component->figures);
    const float width = text_size(theme.mono, time).x;
    draw_text(panel.list, theme.bold, {panel.left, y + panel.px(4)}, theme.text,
              model.name_of(component->name), panel.right - panel.left - width - panel.px(10),
              model.short_names);
    draw_text_right(panel.list, theme.mono, {panel.right, y + panel.px(4)}, theme.text, time);
    panel.y += row;
  }
  const bool sampled = model.snapshot && knows_no_calls(*model.snapshot);
  const bool called =
      model.snapshot && std::ranges::any_of(model.snapshot->components, [](auto& c) {
        return c.figures.calls > 0 || c.figures.open > 0;
      });
  if (all.empty())
    panel.note(sampled || called
                   ? "Nothing is hot in this window: " + heat_text(*model.snapshot) + "."
                   : "No calls in this window.");
  panel.y += panel.px(8);
  panel.note(
      fmt::format("Click a component for its figures, {}. ? shows all keys.",
                  sampled ? "callers and operations" : "latencies, callers and newest executions"));
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
    draw_off(panel, model, *component);
    draw_trust(panel, *model.snapshot, *component);
    if (!is_off(*model.snapshot, *component) || !is_idle(component->figures))  // else unknown
      draw_figures(panel, *component, model);
    if (std::ranges::any_of(model.snapshot->components,
                            [&](const auto& c) { return c.parent == component->name; }))
      panel.note(whose_text(*component, model.snapshot->health.samples));
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
