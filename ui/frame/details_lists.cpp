// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "snapshot/doubt.h"
#include "snapshot/estimate_text.h"
#include "snapshot/heat_text.h"
#include "text/clean.h"
#include "text/numbers.h"
#include "ui/frame/details_parts.h"
#include "ui/kit/chip.h"
#include "ui/kit/draw.h"
#include "ui/kit/link_row.h"
#include "ui/model/run_time.h"
#include "ui/model/switching.h"
#include "ui/model/trace_links.h"
#include "ui/views/shared/estimated.h"
#include "ui/views/shared/operation_name.h"
#include "ui/views/shared/ranked.h"

namespace compmond::ui {
namespace {

constexpr size_t kRecent = 12;  // of a list

// From the execution that was clicked to its trace.
void draw_ways(Panel& panel, Model& model, const snapshot::Component& component) {
  const auto& picked = model.selection.execution;
  if (!picked || picked->component != component.name) return;
  panel.y += panel.px(4);
  LinkRow ways{panel.theme, panel.left, panel.y, panel.px(22), panel.px(14)};
  const PickedExecution execution = *picked;
  const uint64_t trace = execution.execution.trace_id;
  if (ways.link("sequence")) show_trace(model, trace, ViewId::kSequence);
  if (ways.link("trace timing")) show_trace(model, trace, ViewId::kTraceTiming);
  if (ways.link("timeline")) show_on_timeline(model, execution);
  panel.y += panel.px(22);
}

std::string how_closed(const Word<snapshot::Ending>& closed) {
  return closed == snapshot::Ending::kReturned ? "" : closed.text();
}

// Its calls, or its time on a CPU, which ends at `at`, and what makes hot at the right.
void draw_figures(Panel& panel, const snapshot::Snapshot& snapshot,
                  const snapshot::Operation& operation, ImVec2 at, bool sampled) {
  const Theme& theme = panel.theme;
  const snapshot::Figures& figures = operation.figures;
  const snapshot::Estimated* of = estimated_of(figures);
  draw_text_right(panel.list, theme.mono_small, at, theme.dim,
                  of && sampled           ? value_text(*of, &snapshot::Estimated::cpu_ns)
                  : !tells_calls(figures) ? "–"
                  : estimated_calls(figures)
                      ? "≈" + text::short_count(shown_calls(figures))
                      : at_least_mark(figures) + text::short_count(double(figures.calls)));
  const bool bound = of && !is_value(*of, &snapshot::Estimated::net_real_ns);
  draw_text_right(panel.list, theme.mono_small, {panel.right, at.y}, bound ? theme.dim : theme.text,
                  ranked_figure(snapshot) != snapshot::RankedFigure::kReal
                      ? ranked_text(snapshot, figures)
                  : of ? real_text(figures)
                  : operation.exit_mode == snapshot::ExitMode::kEntryOnly
                      ? "–"
                      : text::duration(shown_real_ns(figures)));
}

void operation_tooltip(const Theme& theme, const snapshot::Operation& operation,
                       const std::optional<snapshot::SamplesHealth>& samples) {
  const std::string name = text::clean(operation.name), symbol = text::clean(operation.symbol);
  const snapshot::Figures& figures = operation.figures;
  if (const auto* of = estimated_of(figures);
      of && operation.exit_mode != snapshot::ExitMode::kRefused)
    return tooltip(theme, name, fmt::format("{}\n{}", symbol, estimate_words(*of, samples)),
                   definition(Term::kEstimated).text);
  tooltip(theme, name,
          fmt::format("{} · {}\n{}\nmean {} · p99 {} · max {}", operation.interface.text(),
                      exit_words(operation), symbol, raw_single_text(figures, figures.mean_ns),
                      raw_single_text(figures, figures.p99_ns),
                      raw_single_text(figures, figures.max_ns)),
          definition(Term::kExitMode).text);
}

}  // namespace

void draw_operations(Panel& panel, Model& model, const snapshot::Component& component) {
  const Theme& theme = panel.theme;
  const bool sampled = !saw_calls(component);
  const bool real = ranked_figure(*model.snapshot) == snapshot::RankedFigure::kReal;
  const std::string_view ranked = real ? "real (net)" : ranked_name(*model.snapshot);
  panel.heading(fmt::format("operations ({})", component.operations.size()),
                fmt::format("{}    {}", sampled ? "on CPU" : "calls  ", ranked));
  std::vector<const snapshot::Operation*> sorted;
  for (const auto& operation : component.operations) sorted.push_back(&operation);
  std::stable_sort(sorted.begin(), sorted.end(), [](auto* a, auto* b) {
    return std::pair(a->figures.ranked, shown_real_ns(a->figures)) >
           std::pair(b->figures.ranked, shown_real_ns(b->figures));
  });
  const float row = panel.px(20), time_width = panel.px(70), count_width = panel.px(58);
  for (const auto* operation : sorted) {
    const bool refused = !has_figures(*operation), off = is_off(*operation);
    ImGui::PushID(operation);
    if (panel.line("operation", panel.left - panel.px(4), panel.right + panel.px(4), row,
                   model.selection.operation == operation->name))
      model.selection.operation =
          model.selection.operation == operation->name ? "" : operation->name;
    ImGui::PopID();
    const bool hovered = ImGui::IsItemHovered();
    const float y = panel.y + (row - theme.mono_small->FontSize) / 2;
    draw_text(panel.list, theme.mono_small, {panel.left, y},
              refused ? theme.amber
              : off   ? theme.dim
                      : theme.text,
              text::clean(operation->name),
              panel.width() - time_width - (refused || off ? 0 : count_width));
    if (refused)
      draw_text_right(panel.list, theme.small, {panel.right, y}, theme.amber, "refused");
    else if (off)
      draw_text_right(panel.list, theme.small, {panel.right, y}, theme.dim, "switched off");
    else
      draw_figures(panel, *model.snapshot, *operation, {panel.right - time_width, y}, sampled);
    if (hovered) operation_tooltip(theme, *operation, model.snapshot->health.samples);
    panel.y += row;
  }
  if (sorted.empty()) panel.note("It has none of its own; see the components inside it.");
}

void draw_recent(Panel& panel, Model& model, const snapshot::Component& component) {
  if (!saw_calls(component)) {
    panel.heading("newest executions", "");
    panel.note(kNoSingleCalls);
    return;
  }
  if (!model.details || model.details->component != component.name) return;
  const auto& recent = model.details->recent;
  if (recent.executions.empty()) return;
  const Theme& theme = panel.theme;
  panel.heading("newest executions", "real, probes in        raw");
  const float row = panel.px(19), column = panel.px(72);
  const size_t shown = std::min(recent.executions.size(), kRecent);
  for (size_t i = 0; i < shown; ++i) {
    const auto& execution = recent.executions[recent.executions.size() - 1 - i];
    const auto name_of = [&](int64_t number) {
      if (number < 0 || size_t(number) >= recent.operations.size()) return std::string();
      const auto& operation = recent.operations[size_t(number)];
      return operation.component + " " + operation.name;
    };
    const bool known = execution.operation < recent.operations.size();
    const std::string name = known ? recent.operations[execution.operation].name : "";
    ImGui::PushID(int(i));
    if (panel.line("recent", panel.left - panel.px(4), panel.right + panel.px(4), row, false))
      model.selection.execution =
          PickedExecution{execution, component.name, name, name_of(execution.caller)};
    ImGui::PopID();
    const bool hovered = ImGui::IsItemHovered();
    const bool open = execution.closed == snapshot::Ending::kOpen,
               bad = !open && execution.closed != snapshot::Ending::kReturned;
    const bool unseen = execution.closed == snapshot::Ending::kLossy ||
                        execution.closed == snapshot::Ending::kAbandoned;
    const ImU32 ink = open                                            ? theme.green
                      : execution.closed == snapshot::Ending::kFailed ? theme.red
                      : unseen                                        ? theme.amber
                                                                      : theme.text;
    const float y = panel.y + (row - theme.mono_small->FontSize) / 2;
    const std::string when = moment_text(model, execution.start_ns, 1e6);
    draw_text(panel.list, theme.mono_small, {panel.left, y}, theme.dim,
              bad || open ? when + "  " + execution.closed.text() : when,
              panel.width() - 2 * column);
    draw_text_right(panel.list, theme.mono_small, {panel.right - column, y}, ink,
                    text::duration(double(execution.real_ns)));
    draw_text_right(panel.list, theme.mono_small, {panel.right, y}, ink,
                    text::duration(double(execution.end_ns - execution.start_ns)));
    if (hovered) {
      const std::string caller =
          execution.caller < 0 ? std::string("outside") : text::clean(name_of(execution.caller));
      tooltip(theme, text::clean(name),
              fmt::format("thread {} · trace {} · eoi {} · ess {}{}{}\ncalled from {}",
                          execution.tid, execution.trace_id, execution.eoi, execution.ess,
                          how_closed(execution.closed).empty() ? "" : " · ",
                          how_closed(execution.closed), caller),
              "Click for the ways to its trace.");
    }
    panel.y += row;
  }
  draw_ways(panel, model, component);
}

void draw_actions(Panel& panel, Model& model, const snapshot::Component& component) {
  const Theme& theme = panel.theme;
  panel.y += panel.px(14);
  Settings& settings = model.settings;
  LinkRow actions{theme, panel.left, panel.y, panel.px(22), panel.px(16)};
  const bool traces = saw_calls(component);
  if (traces && actions.link("traces"))
    show_traces_of(model, component.name, model.selection.operation);
  if (traces && ImGui::IsItemHovered())
    tooltip(theme, "traces (R)",
            model.selection.operation.empty() ? "The traces with an execution of this component."
                                              : "The traces with an execution of the marked "
                                                "operation.");
  const bool alone = settings.isolated.contains(component.name);
  if (actions.link("hide")) {
    settings.hidden.insert(component.name);
    say(model, fmt::format("{} is hidden. Backspace shows it again.", text::clean(component.name)));
    model.selection = {};
    return;
  }
  if (actions.link(alone ? "show all" : "isolate")) {
    settings.isolated.clear();
    if (!alone) settings.isolated.insert(component.name);
  }
  if (actions.link("recolour")) ImGui::OpenPopup("colour");
  if (settings.colours.contains(component.name) && actions.link("default colour"))
    settings.colours.erase(component.name);
  if (begin_list("colour")) {
    const auto own = settings.colours.find(component.name);
    ImVec4 colour = ImGui::ColorConvertU32ToFloat4(
        from_rgb(own == settings.colours.end() ? 0x3d86f0 : own->second));
    ImGui::SetNextItemWidth(theme.px(200));
    if (ImGui::ColorPicker3("##own", &colour.x,
                            ImGuiColorEditFlags_NoSidePreview | ImGuiColorEditFlags_NoLabel))
      settings.colours[component.name] = to_rgb(ImGui::ColorConvertFloat4ToU32(colour));
    ImGui::EndPopup();
  }
  panel.y += panel.px(26);
  if (off_count(*model.snapshot, component).off == 0) draw_switch(panel, model, component);
}

}  // namespace compmond::ui
