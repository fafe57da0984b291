// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <ranges>

#include "text/clean.h"
#include "text/match.h"
#include "text/numbers.h"
#include "ui/kit/chip.h"
#include "ui/kit/draw.h"
#include "ui/model/run_time.h"
#include "ui/model/trace_links.h"
#include "ui/views/shared/analysis_answer.h"
#include "ui/views/shared/operation_name.h"
#include "ui/views/traces/traces.h"

namespace compmond::ui {
namespace {

constexpr std::array<uint64_t, 9> kShortest = {
    0, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000, 1'000'000'000, 10'000'000'000};

std::string shortest_text(uint64_t ns) {
  return ns == 0 ? std::string("any length") : "≥ " + text::duration(double(ns));
}

}  // namespace

void TracesView::draw_search(const Canvas& canvas, Model& model, float& x, float top,
                             float bottom) {
  const Theme& theme = canvas.theme;
  const float width = std::clamp(canvas.width() * 0.2f, canvas.px(110), canvas.px(220));
  ImGui::SetCursorScreenPos({x, top});
  ImGui::PushStyleColor(ImGuiCol_FrameBg, theme.raised);
  const float pad = std::max(0.0f, (bottom - top - ImGui::GetFontSize()) / 2);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(canvas.px(8), pad));
  ImGui::SetNextItemWidth(width);
  ImGui::InputTextWithHint("##search", "operation or component", &model.traces.search);
  if (ImGui::IsItemHovered() && !ImGui::IsItemActive())
    tooltip(theme, "search", "Traces with an execution of an operation or component so named.");
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
  x += width + canvas.px(6);
}

void TracesView::draw_shortest(const Canvas& canvas, Model& model, float& x, float top,
                               float bottom) {
  const Theme& theme = canvas.theme;
  uint64_t& shortest = model.traces.min_duration_ns;
  const std::string label = shortest_text(shortest) + "##shortest";
  const ImVec2 min{x, top}, max{x + canvas.px(96), bottom};
  if (button(theme, label.c_str(), min, max, shortest > 0 ? Look::kFilled : Look::kPlain))
    ImGui::OpenPopup("shortest");
  if (ImGui::IsItemHovered() && !ImGui::IsPopupOpen("shortest"))
    tooltip(theme, "length", "Only traces that last that long at least.");
  ImGui::SetNextWindowPos({min.x, max.y + canvas.px(4)});
  if (begin_list("shortest")) {
    for (const uint64_t ns : kShortest)
      if (ImGui::Selectable(shortest_text(ns).c_str(), ns == shortest)) shortest = ns;
    ImGui::EndPopup();
  }
  x = max.x + canvas.px(6);
}

void TracesView::draw_filters(const Canvas& canvas, Model& model, float& x, float top,
                              float bottom) {
  TraceFilter& filter = model.traces;
  const auto chip = [&](const std::string& text, const char* id, const std::string& whole) {
    const std::string label = text + "  ×##" + id;
    const float room = canvas.max.x - canvas.px(14) - x;
    if (room < canvas.px(50)) return false;
    const std::string shown =
        ellipsized(canvas.theme.bold, text, std::min(canvas.px(170), room - canvas.px(40)));
    const float width = text_size(canvas.theme.bold, shown + "  ×").x + canvas.px(18);
    const bool clicked = button(canvas.theme, (shown + "  ×##" + id).c_str(), {x, top},
                                {x + width, bottom}, Look::kFilled);
    if (ImGui::IsItemHovered()) tooltip(canvas.theme, whole, "Click takes this filter away.");
    x += width + canvas.px(6);
    return clicked;
  };
  if (!filter.component.empty()) {
    std::string text = text::clean(text::leaf(filter.component)),
                whole = text::clean(filter.component);
    if (!filter.operation.empty()) {
      text += "  " + short_operation(filter.operation);
      whole += "  " + text::clean(filter.operation);
    }
    if (chip(text, "component", "with " + whole)) filter.component = filter.operation = "";
  }
  if (filter.class_number &&
      chip(fmt::format("class {}", *filter.class_number), "class", "of this class"))
    filter.class_number.reset();
}

void TracesView::draw_controls(const Canvas& canvas, Model& model) {
  const Theme& theme = canvas.theme;
  const float top = canvas.min.y + canvas.px(9), bottom = top + canvas.px(24);
  float x = canvas.min.x + canvas.px(14);
  const auto mode = [&](const char* label, const char* about, bool classes) {
    const ImVec2 min{x, top}, max{x + canvas.px(62), bottom};
    if (button(theme, label, min, max,
               kListsClasses.on(model) == classes ? Look::kFilled : Look::kPlain))
      kListsClasses.set(model, classes);
    if (ImGui::IsItemHovered()) tooltip(theme, label, about);
    x = max.x + canvas.px(2);
  };
  mode("traces", "Each trace: all that was called, directly or not, by one call from outside.",
       false);
  mode("classes", "Traces with the same control flow, times left aside, and how many there are.",
       true);
  x += canvas.px(8);
  draw_search(canvas, model, x, top, bottom);
  draw_shortest(canvas, model, x, top, bottom);
  draw_filters(canvas, model, x, top, bottom);
  if (!shown_) return;
  const std::string text =
      (classes() ? text::counted(rows() + shown_->left_out, "class", "classes") + " · "
                 : std::string()) +
      text::counted(shown_->traces, "trace") + " · " +
      text::counted(shown_->executions, "execution");
  const float right = canvas.max.x - canvas.px(16);
  if (right - text_size(theme.body, text).x < x + canvas.px(8)) return;
  draw_text_right(canvas.list, theme.body, {right, top + (bottom - top - theme.body->FontSize) / 2},
                  theme.dim, text);
}

void TracesView::draw_footer(const Canvas& canvas, Model& model) const {
  if (!shown_) return;
  const Theme& theme = canvas.theme;
  canvas.list->AddLine(canvas.min, {canvas.max.x, canvas.min.y}, theme.line);
  const float middle = (canvas.min.y + canvas.max.y) / 2;
  float right = canvas.max.x - canvas.px(16);
  const auto link = [&](const char* label, const char* what) {
    const float width = text_size(theme.body, label).x;
    const bool clicked = button(theme, label, {right - width, middle - canvas.px(11)},
                                {right, middle + canvas.px(11)}, Look::kLink);
    if (ImGui::IsItemHovered()) tooltip(theme, label, what);
    right -= width + canvas.px(16);
    return clicked;
  };
  if (const auto row = chosen_row(model)) {
    if (classes() && link("its traces", "The traces of this class.")) {
      model.traces.class_number = classes()->rows[*row].number;
      kListsClasses.set(model, false);
    }
    if (traces() &&
        link("timeline", "Its place on the timeline: Timing, with the window around it.")) {
      const snapshot::TraceRow& trace = traces()->rows[*row];
      show_on_timeline(model, trace, shown_->operations[trace.operation]);
    }
    for (const ViewId view : std::views::reverse(kTraceViews))
      if (link(to_text(view), classes() ? "Of this class." : "Of this trace."))
        open(model, *row, view);
  }
  float x = canvas.min.x + canvas.px(14);
  const auto note = [&](ImU32 colour, const std::string& text, std::string_view about) {
    const float room = right - canvas.px(6) - x;
    if (room < canvas.px(30)) return;
    const float y = middle - theme.small->FontSize / 2;
    draw_text(canvas.list, theme.small, {x, y}, colour, text, room);
    const float width = std::min(room, text_size(theme.small, text).x);
    if (ImGui::IsWindowHovered() &&
        ImGui::IsMouseHoveringRect({x, canvas.min.y}, {x + width, canvas.max.y}))
      tooltip(theme, text, about);
    x += width + canvas.px(14);
  };
  if (shown_->partial) {
    note(theme.amber, "only from " + moment_text(model, shown_->analysed_since_ns, 1e7) + " on",
         "Earlier traces of this window are no longer kept, or it holds more than is analysed at "
         "once: the newest 50,000 executions. A shorter window holds less.");
  }
  if (shown_->broken > 0)
    note(theme.amber, fmt::format("{} not whole", text::count(shown_->broken)),
         "Traces left out: executions of them are no longer kept, or events of them were lost.");
  if (shown_->observed_share)
    note(theme.amber, missing_calls_text(shown_->observed_share), kMissingCalls);
  if (shown_->left_out > 0)
    note(theme.dim, fmt::format("{} not listed", text::count(shown_->left_out)),
         "The first 1,000 in this order are listed. A search, a filter or another order brings "
         "others.");
  if (shown_->unfinished > 0)
    note(theme.dim, fmt::format("{} still running", text::count(shown_->unfinished)),
         "Traces appear when they have ended.");
}

}  // namespace compmond::ui
