// SPDX-License-Identifier: Apache-2.0
#include "ui/views/shared/shown_trace.h"

#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include <algorithm>
#include <cfloat>

#include "text/clean.h"
#include "text/numbers.h"
#include "ui/kit/draw.h"
#include "ui/kit/names.h"
#include "ui/model/trace_links.h"
#include "ui/views/shared/empty.h"
#include "ui/views/shared/operation_name.h"

namespace compmond::ui {
namespace {

constexpr uint32_t kSteps = 5000;  // more than anybody scrolls through

bool follows(const TraceChoice& choice) { return !choice.trace; }

// The component that the newest trace must have a call of, because it is selected; empty: any. What
// the list is filtered by counts more.
std::string with_selected(const Model& model) {
  const bool free = model.chosen == TraceChoice{} && model.traces.component.empty() &&
                    model.traces.operation.empty();
  return free ? model.selection.component : "";
}

bool has_call_of(const snapshot::AnalysisView& trace, const std::string& component) {
  return std::ranges::any_of(trace.steps, [&](const auto& step) {
    const std::string& path = trace.operations[step.operation].component;
    return path == component || path.starts_with(component + "/");
  });
}

std::string plural(uint64_t count, const char* one) {
  return fmt::format("{} {}{}", text::count(count), one, count == 1 ? "" : "s");
}

// As much of it as fits.
std::string summary(const Theme& theme, const Model& model, const ShownTrace& shown, float room) {
  const snapshot::AnalysisView& view = *shown.view();
  const auto& trace = *view.trace;
  const auto& first = view.operations[trace.operation];
  std::string out;
  if (model.chosen.class_number)
    out = fmt::format("newest of class {} · ", *model.chosen.class_number);
  else if (!model.chosen.trace && !shown.with().empty())
    out = fmt::format("newest with {} · ", text::clean(leaf(shown.with())));
  out += fmt::format("{} · {}", text::duration(double(trace.end_ns - trace.start_ns)),
                     plural(trace.executions, "execution"));
  const double since = double(trace.start_ns) - double(model.run.start_ns);
  const std::string name =
      fmt::format("{}  {} · ", text::clean(leaf(first.component)), short_operation(first.name));
  if (text_size(theme.body, name + out).x <= room) out = name + out;
  for (const std::string& more :
       {trace.session.empty() ? "" : fmt::format(" · session {}", text::clean(trace.session)),
        fmt::format(" · at {}", text::moment(since, 1e6)), fmt::format(" · trace {}", trace.id),
        fmt::format(" · class {}", trace.class_number),
        trace.threads > 1 ? fmt::format(" · {} threads", trace.threads)
                          : fmt::format(" · thread {}", trace.tid)})
    if (text_size(theme.body, out + more).x <= room) out += more;
  return out;
}

}  // namespace

ShownTrace::Question ShownTrace::question(const Model& model) const {
  Question out{model.chosen, with_selected(model)};
  // Who selects something in the trace of a window that stands still wants to go on looking at it.
  const bool same = view() && !model.window.live && view_of_.chosen == out.chosen &&
                    view_->start_ns == model.window.start_ns &&
                    view_->end_ns == model.window.end_ns;
  if (same && (out.with.empty() || has_call_of(*view_, out.with))) out.with = view_of_.with;
  return out;
}

void ShownTrace::ask(const Model& model, snapshot::ViewRequest& request) const {
  const TraceChoice& chosen = model.chosen;
  // One that has ended does not change any more.
  if (chosen.trace && view_ && view_->trace && view_->trace->id == *chosen.trace) return;
  auto& analysis = request.analysis.emplace();
  analysis.report = snapshot::Report::kTrace;
  analysis.limit = kSteps;
  if (chosen.trace) {
    analysis.trace = chosen.trace;
  } else if (chosen.class_number) {
    analysis.class_number = chosen.class_number;
  } else {
    const TraceFilter& filter = model.traces;
    analysis.search = filter.search;
    const std::string with = question(model).with;
    analysis.component = with.empty() ? filter.component : with;
    analysis.operation = filter.operation;
    analysis.class_number = filter.class_number;
    analysis.min_duration_ns = filter.min_duration_ns;
  }
}

bool ShownTrace::take(const Model& model, bool held) {
  if (const Question now = question(model); of_ != now) {
    of_ = now;
    answer_.asked_anew(model);
    const bool stays = view() && (follows(now.chosen) || view_->trace->id == *now.chosen.trace);
    if (!stays) view_.reset();
    return !stays;
  }
  if (model.generation == taken_ || !answer_.there(model) ||
      model.analysis->report != snapshot::Report::kTrace)
    return false;
  const snapshot::AnalysisView& fresh = *model.analysis;
  const TraceChoice& chosen = of_.chosen;
  if (chosen.trace && fresh.trace && fresh.trace->id != *chosen.trace)
    return false;  // asked before
  if (held && follows(chosen) && view()) return false;
  taken_ = model.generation;
  view_of_ = of_;
  if (view_ && *view_ == fresh) return false;
  const bool other = !view_ || view_->trace != fresh.trace;
  view_ = fresh;
  return other;
}

double ShownTrace::since_start(uint64_t ns) const {
  const uint64_t start = view_->trace->start_ns;
  return ns > start ? double(ns - start) : 0;
}

bool ShownTrace::goes_on(int glfw_key, Model& model, std::optional<uint32_t> picked) const {
  if (glfw_key != GLFW_KEY_ENTER && glfw_key != GLFW_KEY_KP_ENTER) return false;
  if (view() && !view_->steps.empty())
    show_on_timeline(model, picked_step(*view_, picked.value_or(0)));
  return true;
}

void ShownTrace::draw_absence(const Canvas& canvas, ImVec2 min, const Model& model) const {
  const auto say = [&](const std::string& sentence, const std::string& advice) {
    draw_empty(canvas.list, canvas.theme, min, canvas.max, sentence, advice);
  };
  if (!view_) return say("Waiting for the trace.", "");
  const std::string go_on = "“newest” shows the newest trace of the window.";
  if (model.chosen.trace) {
    const std::string which = fmt::format("Trace {}", *model.chosen.trace);
    if (view_->unfinished > 0)
      return say(which + " is still running.", "It is shown as soon as it has ended. " + go_on);
    if (view_->broken > 0)
      return say(which + " is not whole.",
                 "Events of it were lost, or are no longer kept. " + go_on);
    if (view_->partial) return say(which + " is too large to be shown.", go_on);
    return say(which + " is no longer kept.", go_on);
  }
  if (model.chosen.class_number)
    return say(fmt::format("No trace of class {} in this window.", *model.chosen.class_number),
               go_on);
  if (const std::string quiet = no_calls_text(model); !quiet.empty()) return say(quiet, "");
  const std::string running =
      view_->unfinished > 0 ? fmt::format("{} still running. ", text::count(view_->unfinished))
                            : "";
  const bool filtered = !(model.traces == TraceFilter{});
  if (!of_.with.empty()) {
    const std::string what = text::clean(leaf(of_.with));
    return say(
        filtered ? fmt::format("No trace of this window with a call of {} passes the filter.", what)
                 : fmt::format("No trace that has ended in this window has a call of {}.", what),
        running + (filtered ? "The filter is set in Traces."
                            : "Without a selected component the newest of all is shown."));
  }
  say(filtered ? "No trace of this window passes the filter."
               : "No trace has ended in this window.",
      running + (filtered ? "The filter is set in Traces."
                          : "Make the window longer: + or the time scale."));
}

void draw_trace_bar(const Canvas& canvas, Model& model, const ShownTrace& shown, const char* other,
                    std::optional<uint32_t> picked) {
  const Theme& theme = canvas.theme;
  const float top = canvas.min.y + canvas.px(9), bottom = top + canvas.px(24);
  float x = canvas.min.x + canvas.px(14);
  const auto chip = [&](const char* label, bool on) {
    const ImVec2 min{x, top}, max{x + text_size(theme.body, label).x + canvas.px(22), bottom};
    x = max.x + canvas.px(6);
    return button(theme, label, min, max, on ? Look::kFilled : Look::kPlain);
  };
  const auto* view = shown.view();
  const bool newest = model.chosen == TraceChoice{};
  if (chip("newest", newest)) {
    if (!newest)
      model.chosen = {};
    else if (view)
      model.chosen.trace = view->trace->id;
  }
  if (ImGui::IsItemHovered())
    tooltip(theme, "newest",
            newest ? "Follows the newest trace of the window, with a call of the selected "
                     "component. Click keeps this one."
                   : "Follows the newest trace of the window again.");
  const auto link = [&](const char* label, const char* what) {
    const float width = text_size(theme.body, label).x;
    const bool clicked = button(theme, label, {x + canvas.px(8), top},
                                {x + canvas.px(8) + width, bottom}, Look::kLink);
    if (ImGui::IsItemHovered()) tooltip(theme, label, what);
    x += width + canvas.px(12);
    return clicked;
  };
  if (view) {
    const uint64_t id = view->trace->id;
    if (link(other, "The same trace in that view.")) show_trace(model, id, other);
    if (link("Call tree", "The calls of this trace as a tree.")) show_trace(model, id, "Call tree");
    if (link("timeline", "Its place on the timeline: Timing, with the window around it.") &&
        !view->steps.empty())
      show_on_timeline(model, picked_step(*view, picked.value_or(0)));
  }
  if (link("all traces", "The list of traces.")) model.wishes.view = "Traces";
  if (!view) return;
  x += canvas.px(14);
  const float room = canvas.max.x - canvas.px(14) - x;
  if (room < canvas.px(80)) return;
  const float y = top + (bottom - top - theme.body->FontSize) / 2;
  draw_text(canvas.list, theme.body, {x, y}, view->trace->failed ? theme.amber : theme.dim,
            summary(theme, model, shown, room), room);
  if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect({x, top}, {x + room, bottom}))
    tooltip(theme, "", summary(theme, model, shown, FLT_MAX),
            view->trace->failed ? "One of its executions did not return." : std::string_view());
}

void step_tooltip(const Theme& theme, const Model& model, const snapshot::AnalysisView& trace,
                  uint32_t step, const std::string& more) {
  const auto& s = trace.steps[step];
  const auto& operation = trace.operations[s.operation];
  const double begun = double(s.start_ns - std::min(s.start_ns, trace.trace->start_ns));
  const double since = double(s.start_ns) - double(model.run.start_ns);
  tooltip(theme,
          fmt::format("{}  {}", text::clean(leaf(operation.component)),
                      short_operation(operation.name)),
          fmt::format("{}\nraw {}, real {}\nbegun {} after the trace, at {}\nthread {} · eoi {} · "
                      "ess {}{}",
                      text::clean(operation.name), text::duration(double(s.end_ns - s.start_ns)),
                      text::duration(double(s.real_ns)), text::duration(begun),
                      text::moment(since, 1e3), s.tid, s.eoi, s.ess,
                      s.failed ? "\nit did not return" : ""),
          more);
}

void draw_trace_notes(const Canvas& canvas, const snapshot::AnalysisView& trace,
                      const std::string& more) {
  const Theme& theme = canvas.theme;
  float y = canvas.max.y - canvas.px(8);
  const auto note = [&](ImU32 colour, const std::string& text) {
    if (text.empty()) return;
    y -= theme.small->FontSize + canvas.px(4);
    const float x = canvas.min.x + canvas.px(12);
    const float width = std::min(text_size(theme.small, text).x, canvas.width() - canvas.px(24));
    canvas.list->AddRectFilled({x - 3, y}, {x + width + 3, y + theme.small->FontSize},
                               with_alpha(theme.background, 0.85f), 3);
    draw_text(canvas.list, theme.small, {x, y}, colour, text, canvas.width() - canvas.px(24));
  };
  note(theme.dim, more);
  if (trace.left_out > 0)
    note(theme.amber,
         fmt::format("the first {} of {} executions are shown", text::count(trace.steps.size()),
                     text::count(trace.trace->executions)));
}

}  // namespace compmond::ui
