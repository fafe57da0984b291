// SPDX-License-Identifier: Apache-2.0
#include "ui/views/one_trace/trace_bar.h"

#include <fmt/format.h>

#include <algorithm>
#include <cfloat>
#include <utility>
#include <vector>

#include "text/clean.h"
#include "text/match.h"
#include "text/numbers.h"
#include "ui/kit/draw.h"
#include "ui/kit/link_row.h"
#include "ui/model/run_time.h"
#include "ui/model/trace_links.h"
#include "ui/views/shared/analysis_answer.h"
#include "ui/views/shared/operation_name.h"

namespace compmond::ui {
namespace {

// As much of it as fits.
std::string summary(const Theme& theme, const Model& model, const ShownTrace& shown, float room) {
  const AnsweredTrace trace = *shown.trace();
  const snapshot::TraceRow& row = trace.row;
  const auto& first = trace.operations[row.operation];
  std::string out;
  if (model.chosen.class_number)
    out = fmt::format("newest of class {} · ", *model.chosen.class_number);
  else if (!model.chosen.trace && !shown.with().empty())
    out = fmt::format("newest with {} · ", text::clean(text::leaf(shown.with())));
  out += fmt::format("{} · {}", text::duration(double(row.end_ns - row.start_ns)),
                     text::counted(row.executions, "execution"));
  const std::string name = full_name(first.component, first.name) + " · ";
  if (text_size(theme.body, name + out).x <= room) out = name + out;
  for (const std::string& more :
       {row.session.empty() ? "" : fmt::format(" · session {}", text::clean(row.session)),
        fmt::format(" · at {}", moment_text(model, row.start_ns, 1e6)),
        fmt::format(" · trace {}", row.id), fmt::format(" · class {}", row.class_number),
        row.threads > 1 ? fmt::format(" · {} threads", row.threads)
                        : fmt::format(" · thread {}", row.tid)})
    if (text_size(theme.body, out + more).x <= room) out += more;
  return out;
}

}  // namespace

void draw_trace_bar(const Canvas& canvas, Model& model, const ShownTrace& shown, ViewId here,
                    std::optional<uint32_t> picked) {
  const Theme& theme = canvas.theme;
  const float top = canvas.min.y + canvas.px(9), bottom = top + canvas.px(24);
  float x = canvas.min.x + canvas.px(14);
  const auto chip = [&](const char* label, bool on) {
    const ImVec2 min{x, top}, max{x + text_size(theme.body, label).x + canvas.px(22), bottom};
    x = max.x + canvas.px(6);
    return button(theme, label, min, max, on ? Look::kFilled : Look::kPlain);
  };
  const auto trace = shown.trace();
  const bool newest = model.chosen == TraceChoice{};
  if (chip("newest", newest)) {
    if (!newest)
      model.chosen = {};
    else if (trace)
      model.chosen.trace = trace->row.id;
  }
  if (ImGui::IsItemHovered())
    tooltip(theme, "newest",
            newest ? "Follows the newest trace of the window, with a call of the selected "
                     "component. Click keeps this one."
                   : "Follows the newest trace of the window again.");
  LinkRow ways{theme, x + canvas.px(8), top, bottom - top, canvas.px(12)};
  const auto link = [&](const char* label, const char* what) {
    const bool clicked = ways.link(label);
    if (ImGui::IsItemHovered()) tooltip(theme, label, what);
    return clicked;
  };
  if (trace) {
    for (const ViewId other : kTraceViews)
      if (other != here && link(to_text(other), "The same trace in that view."))
        show_trace(model, trace->row.id, other);
    if (link("timeline", "Its place on the timeline: Timing, with the window around it.") &&
        !trace->steps.empty())
      show_on_timeline(model, picked_step(*trace, picked.value_or(0)));
  }
  if (link("all traces", "The list of traces.")) model.wishes.view = ViewId::kTraces;
  if (!trace) return;
  x = ways.x + canvas.px(6);
  const float room = canvas.max.x - canvas.px(14) - x;
  if (room < canvas.px(80)) return;
  const float y = top + (bottom - top - theme.body->FontSize) / 2;
  draw_text(canvas.list, theme.body, {x, y}, trace->row.failed ? theme.amber : theme.dim,
            summary(theme, model, shown, room), room);
  if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect({x, top}, {x + room, bottom}))
    tooltip(theme, "", summary(theme, model, shown, FLT_MAX),
            trace->row.failed ? "One of its executions did not return." : std::string_view());
}

void step_tooltip(const Theme& theme, const Model& model, const AnsweredTrace& trace, uint32_t step,
                  const std::string& more) {
  const auto& s = trace.steps[step];
  const auto& operation = trace.operation(s);
  const double begun = double(s.start_ns - std::min(s.start_ns, trace.row.start_ns));
  tooltip(theme, full_name(operation.component, operation.name),
          fmt::format("{}\nraw {}, real {}\nbegun {} after the trace, at {}\nthread {} · eoi {} · "
                      "ess {}{}",
                      text::clean(operation.name), text::duration(double(s.end_ns - s.start_ns)),
                      text::duration(double(s.net_real_ns())), text::duration(begun),
                      moment_text(model, s.start_ns, 1e3), s.tid, s.eoi, s.ess,
                      s.failed ? "\nit did not return" : ""),
          more);
}

namespace {

// From the lowest one up.
std::vector<std::pair<ImU32, std::string>> notes_of(const Theme& theme, const AnsweredTrace& trace,
                                                    const std::string& more) {
  std::vector<std::pair<ImU32, std::string>> out;
  if (!more.empty()) out.emplace_back(theme.dim, more);
  if (auto missing = missing_calls_text(trace.observed_share); !missing.empty())
    out.emplace_back(theme.amber, std::move(missing));
  if (trace.left_out > 0)
    out.emplace_back(theme.amber, fmt::format("the first {} of {} executions are shown",
                                              text::count(trace.steps.size()),
                                              text::count(trace.row.executions)));
  return out;
}

float note_line(const Canvas& canvas) { return canvas.theme.small->FontSize + canvas.px(4); }

}  // namespace

float trace_notes_top(const Canvas& canvas, const AnsweredTrace& trace, const std::string& more) {
  return canvas.max.y - canvas.px(8) -
         note_line(canvas) * float(notes_of(canvas.theme, trace, more).size());
}

void draw_trace_notes(const Canvas& canvas, const AnsweredTrace& trace, const std::string& more) {
  const Theme& theme = canvas.theme;
  float y = canvas.max.y - canvas.px(8);
  for (const auto& [colour, text] : notes_of(theme, trace, more)) {
    y -= note_line(canvas);
    const float x = canvas.min.x + canvas.px(12);
    const float width = std::min(text_size(theme.small, text).x, canvas.width() - canvas.px(24));
    canvas.list->AddRectFilled({x - 3, y}, {x + width + 3, y + theme.small->FontSize},
                               with_alpha(theme.background, 0.85f), 3);
    draw_text(canvas.list, theme.small, {x, y}, colour, text, canvas.width() - canvas.px(24));
  }
}

}  // namespace compmond::ui
