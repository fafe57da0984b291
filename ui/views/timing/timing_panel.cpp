// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "text/clean.h"
#include "text/numbers.h"
#include "ui/kit/draw.h"
#include "ui/kit/link_row.h"
#include "ui/model/run_time.h"
#include "ui/model/trace_links.h"
#include "ui/views/shared/definitions.h"
#include "ui/views/shared/heat.h"
#include "ui/views/shared/operation_name.h"
#include "ui/views/shared/slo.h"
#include "ui/views/timing/timing_frame.h"

namespace compmond::ui {
namespace {

uint64_t raw_ns(const snapshot::ExecutionsView::Execution& e) {
  return e.end_ns > e.start_ns ? e.end_ns - e.start_ns : 0;
}

std::string thread_text(const Model& model, int64_t pid, int64_t tid) {
  if (model.snapshot)
    for (const auto& thread : model.snapshot->threads)
      if (thread.tid == tid && thread.pid == pid && !thread.name.empty())
        return fmt::format("{} ({})", tid, text::clean(thread.name));
  return fmt::format("{}", tid);
}

// Captions of the popup and their values, aligned.
struct Row {
  const char* caption;
  std::string value;
  ImU32 colour;
};

std::vector<Row> rows_of(const TimingFrame& frame, const PickedExecution& pick) {
  const Theme& theme = frame.canvas.theme;
  const auto& e = pick.execution;
  const std::string closed = closed_text(e.closed);
  const ImU32 end = ink_of_end(theme, e.closed);
  const uint64_t raw = raw_ns(e);
  std::vector<Row> rows{
      {"function", text::clean(pick.operation), theme.text},
      {"raw", text::duration(double(raw)), theme.strong},
      {"real with probes", text::duration(double(e.real_ns)), theme.strong},
      {"start", moment_text(frame.model, e.start_ns, 1e3), theme.text},
      {"thread", thread_text(frame.model, e.pid, e.tid), theme.text},
      {"trace", fmt::format("{}, eoi {}, ess {}", e.trace_id, e.eoi, e.ess), theme.text},
      {"called by", pick.caller.empty() ? "outside" : pick.caller, theme.text},
      {"end", closed.empty() ? "returned" : closed,
       e.closed == snapshot::Ending::kOpen      ? theme.green
       : end == theme.red || end == theme.amber ? end
                                                : theme.text}};
  if (const auto& objective = frame.view.operations[e.operation].objective_ns)
    rows.insert(rows.begin() + 2,
                Row{"objective",
                    missed(frame.view, e)
                        ? fmt::format("{}, missed by {}", text::duration(double(*objective)),
                                      text::duration(double(raw - *objective)))
                        : text::duration(double(*objective)),
                    missed(frame.view, e) ? theme.red : theme.text});
  return rows;
}

float legend(const TimingFrame& frame, float x, float y, float right) {
  const Theme& theme = frame.canvas.theme;
  ImDrawList* list = frame.canvas.list;
  const ImU32 hue = full_hue(theme, frame.model.settings);
  draw_text(list, theme.bold, {x, y}, theme.strong, "How to read this");
  y += theme.bold->FontSize + frame.canvas.px(8);
  const auto row = [&](ImU32 fill, ImU32 hatch, float height, const char* text) {
    const float middle = y + theme.body->FontSize / 2;
    const ImVec2 min{x, middle - frame.canvas.px(height) / 2},
        max{x + frame.canvas.px(18), middle + frame.canvas.px(height) / 2};
    list->AddRectFilled(min, max, fill, frame.canvas.px(2));
    if (hatch != 0) draw_hatch(list, min, max, hatch, frame.canvas.px(6));
    list->AddRect(min, max, with_alpha(theme.dim, 0.45f), frame.canvas.px(2));
    draw_text(list, theme.body, {x + frame.canvas.px(28), y}, theme.text, text,
              right - x - frame.canvas.px(28));
    y += theme.body->FontSize + frame.canvas.px(7);
  };
  row(hue, 0, 13, "own (real) time");
  row(mix(theme.bar, theme.bar_line, 0.55f), 0, 13, "waiting for a nested execution");
  row(theme.green, 0, 13, "still running");
  row(mix(theme.bar, theme.bar_line, 0.55f), theme.amber, 13, "events lost, or end not seen");
  row(mix(theme.bar, theme.bar_line, 0.55f), theme.red, 13, "left by an exception");
  row(hue, 0, 5, "short executions: as wide as busy");
  if (!frame.view.away.empty()) row(theme.raised, 0, 13, "probes away: calls not seen");
  if (!frame.view.sampled.empty())
    row(mix(theme.background, hue, 0.7f), 0, 5, "from samples: as wide as busy");
  if (frame.model.snapshot && frame.model.snapshot->slo) {
    const float middle = y + theme.body->FontSize / 2, size = frame.canvas.px(8);
    list->AddRect({x, middle - size / 2}, {x + frame.canvas.px(18), middle + size}, theme.red, 0, 0,
                  frame.canvas.px(1.5f));
    draw_missed_mark(list, theme, {x + frame.canvas.px(9), middle - size / 2}, size);
    draw_text(list, theme.body, {x + frame.canvas.px(28), y}, theme.text, "above its objective",
              right - x - frame.canvas.px(28));
    y += theme.body->FontSize + frame.canvas.px(7);
  }
  draw_text(list, theme.small, {x, y}, theme.dim, "Side by side: threads at the same time.",
            right - x);
  return y + theme.small->FontSize + frame.canvas.px(18);
}

}  // namespace

std::optional<uint32_t> draw_timing_panel(const TimingFrame& frame, ImVec2 min, ImVec2 max,
                                          const std::vector<uint32_t>& slowest) {
  const Theme& theme = frame.canvas.theme;
  ImDrawList* list = frame.canvas.list;
  list->AddRectFilled(min, max, theme.panel);
  list->AddLine(min, {min.x, max.y}, theme.line);
  const float x = min.x + frame.canvas.px(16), right = max.x - frame.canvas.px(14);
  float y = legend(frame, x, min.y + frame.canvas.px(14), right);
  draw_text(list, theme.bold, {x, y}, theme.strong, "Slowest in view");
  draw_text_right(list, theme.small, {right, y + frame.canvas.px(2)}, theme.dim, "raw time");
  y += theme.bold->FontSize + frame.canvas.px(6);
  if (slowest.empty()) draw_text(list, theme.body, {x, y}, theme.dim, "none");
  std::optional<uint32_t> clicked;
  const float line = theme.body->FontSize + frame.canvas.px(9);
  for (const uint32_t i : slowest) {
    if (y + line > max.y - frame.canvas.px(6)) break;
    const auto& e = frame.view.executions[i];
    ImGui::SetCursorScreenPos({min.x + 1, y});
    ImGui::PushID(int(i));
    if (ImGui::InvisibleButton("slow", {max.x - min.x - 1, line})) clicked = i;
    ImGui::PopID();
    const bool hovered = ImGui::IsItemHovered();
    const auto& selected = frame.model.selection.execution;
    if (hovered || (selected && same_execution(selected->execution, e)))
      list->AddRectFilled({min.x + 1, y}, {max.x, y + line},
                          with_alpha(theme.blue_fill, hovered ? 0.25f : 0.35f));
    const std::string raw = text::duration(double(raw_ns(e)));
    const float room = text_size(theme.mono, raw).x + frame.canvas.px(10);
    const bool doubted =
        e.closed != snapshot::Ending::kReturned && e.closed != snapshot::Ending::kOpen;
    const std::string name = execution_name(frame.view, e.operation);
    const float text_y = y + frame.canvas.px(4.5f);
    const bool cut = draw_text(list, theme.body, {x, text_y}, theme.text, name, right - x - room);
    draw_text_right(list, theme.mono, {right, text_y},
                    doubted                               ? theme.amber
                    : e.closed == snapshot::Ending::kOpen ? theme.green
                                                          : theme.strong,
                    raw);
    if (hovered && (cut || doubted)) tooltip(theme, name, closed_text(e.closed));
    y += line;
  }
  return clicked;
}

void draw_timing_popup(const TimingFrame& frame, Model& model) {
  const auto& selected = frame.model.selection.execution;
  if (!selected) return;
  const auto bar =
      std::find_if(frame.layout.bars.begin(), frame.layout.bars.end(), [&](const auto& candidate) {
        return same_execution(frame.view.executions[candidate.execution], selected->execution);
      });
  if (bar == frame.layout.bars.end() || bar->y1 < frame.top || bar->y0 > frame.bottom ||
      bar->x1 < frame.left || bar->x0 > frame.right)
    return;
  const Theme& theme = frame.canvas.theme;
  PickedExecution pick = *selected;
  pick.execution = frame.view.executions[bar->execution];  // one still running has grown
  const auto rows = rows_of(frame, pick);
  const float pad = frame.canvas.px(12), caption = frame.canvas.px(66);
  const float line = theme.body->FontSize + frame.canvas.px(4);
  const float most = std::min(frame.canvas.px(330), frame.right - frame.left - frame.canvas.px(8));
  const std::string title = full_name(pick.component, pick.operation);
  float width = text_size(theme.bold, title).x;
  for (const Row& row : rows) width = std::max(width, caption + text_size(theme.mono, row.value).x);
  width = std::min(most, width + 2 * pad);
  const float links = frame.canvas.px(24);
  const float height = 2 * pad + float(rows.size() + 1) * line + frame.canvas.px(4) + links;
  // At the right of the bar, or at its left where there is no room.
  float x = float(bar->x1) + frame.canvas.px(10);
  if (x + width > frame.right) x = float(bar->x0) - width - frame.canvas.px(10);
  x = std::clamp(x, frame.left + 2, std::max(frame.left + 2, frame.right - width));
  const double y_bar = std::max(bar->y0, double(frame.top));
  const float y =
      std::clamp(float(y_bar), frame.top + 4, std::max(frame.top + 4, frame.bottom - height - 4));
  ImDrawList* list = frame.canvas.list;
  list->AddRectFilled({x, y}, {x + width, y + height}, theme.raised, frame.canvas.px(7));
  list->AddRect({x, y}, {x + width, y + height}, theme.blue, frame.canvas.px(7), 0,
                frame.canvas.px(1.5f));
  draw_text(list, theme.bold, {x + pad, y + pad}, theme.strong, title, width - 2 * pad);
  float row_y = y + pad + line + frame.canvas.px(4);
  for (const Row& row : rows) {
    draw_text(list, theme.body, {x + pad, row_y}, theme.dim, row.caption);
    draw_text(list, theme.mono, {x + pad + caption, row_y}, row.colour, row.value,
              width - 2 * pad - caption);
    row_y += line;
  }
  // In an ImGui child of its own, so that clicks reach it and not the plot below.
  ImGui::SetCursorScreenPos({x + pad, row_y});
  ImGui::BeginChild("ways", {width - 2 * pad, links});
  LinkRow ways{theme, x + pad, row_y, links, frame.canvas.px(14)};
  for (const ViewId view : kTraceViews)
    if (ways.link(to_text(view))) show_trace(model, pick.execution.trace_id, view);
  ImGui::EndChild();
}

void timing_tooltip(const TimingFrame& frame) {
  const Theme& theme = frame.canvas.theme;
  if (frame.hovered_bar) {
    const auto& e = frame.view.executions[frame.layout.bars[*frame.hovered_bar].execution];
    const std::string closed = closed_text(e.closed);
    tooltip(theme, execution_name(frame.view, e.operation),
            fmt::format("raw {}, real with probes {}{}{}{}", text::duration(double(raw_ns(e))),
                        text::duration(double(e.real_ns)),
                        missed(frame.view, e) ? "\nmissed its objective" : "",
                        closed.empty() ? "" : "\n", closed),
            "Click for all numbers.");
  } else if (frame.hovered_fold) {
    const auto& fold = frame.layout.folds[*frame.hovered_fold];
    tooltip(theme,
            fold.one_operation ? execution_name(frame.view, fold.operation)
                               : text::clean(frame.columns[size_t(fold.column)]),
            fmt::format("{} in {}\nraw {}, real with probes {} together{}",
                        text::counted(fold.count, "execution"),
                        text::duration(double(fold.end_ns - fold.start_ns)),
                        text::duration(double(fold.raw_ns)), text::duration(double(fold.real_ns)),
                        fold.violations > 0 ? fmt::format("\n{} missed their objective",
                                                          text::count(fold.violations))
                                            : std::string()),
            "Shorter than three pixels each. Click to zoom in.");
  } else if (frame.hovered_time) {
    timing_away_tooltip(frame);
  }
}

}  // namespace compmond::ui
