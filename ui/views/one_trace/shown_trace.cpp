// SPDX-License-Identifier: Apache-2.0
#include "ui/views/one_trace/shown_trace.h"

#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include <algorithm>

#include "text/clean.h"
#include "text/match.h"
#include "text/numbers.h"
#include "ui/kit/draw.h"
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

bool has_call_of(const AnsweredTrace& trace, const std::string& component) {
  return std::ranges::any_of(trace.steps, [&](const auto& step) {
    const std::string& path = trace.operation(step).component;
    return path == component || path.starts_with(component + "/");
  });
}

}  // namespace

ShownTrace::Question ShownTrace::question(const Model& model) const {
  Question out{model.chosen, with_selected(model)};
  // Who selects something in the trace of a window that stands still wants to go on looking at it.
  const auto shown = trace();
  const bool same = shown && !model.window.live && view_of_.chosen == out.chosen &&
                    view_->start_ns == model.window.start_ns &&
                    view_->end_ns == model.window.end_ns;
  if (same && (out.with.empty() || has_call_of(*shown, out.with))) out.with = view_of_.with;
  return out;
}

void ShownTrace::ask(const Model& model, snapshot::ViewRequest& request) const {
  const TraceChoice& chosen = model.chosen;
  // One that has ended does not change any more.
  if (const auto shown = trace(); chosen.trace && shown && shown->row.id == *chosen.trace) return;
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
    const auto shown = trace();
    const bool stays = shown && (follows(now.chosen) || shown->row.id == *now.chosen.trace);
    if (!stays) view_.reset();
    return !stays;
  }
  if (model.generation == taken_ || !answer_.there(model)) return false;
  const auto* fresh = model.analysis->as<snapshot::OneTrace>();
  if (!fresh) return false;
  const TraceChoice& chosen = of_.chosen;
  if (chosen.trace && fresh->trace && fresh->trace->id != *chosen.trace)
    return false;  // asked before
  if (held && follows(chosen) && trace()) return false;
  taken_ = model.generation;
  view_of_ = of_;
  if (view_ == model.analysis) return false;
  const bool other = !view_ || view_->as<snapshot::OneTrace>()->trace != fresh->trace;
  view_ = model.analysis;
  return other;
}

double ShownTrace::since_start(uint64_t ns) const {
  const uint64_t start = trace()->row.start_ns;
  return ns > start ? double(ns - start) : 0;
}

bool ShownTrace::goes_on(int glfw_key, Model& model, std::optional<uint32_t> picked) const {
  // The list, which R goes to, then has it marked.
  if (const auto shown = trace(); shown && glfw_key == GLFW_KEY_R)
    model.chosen = {shown->row.id, std::nullopt};
  if (glfw_key != GLFW_KEY_ENTER && glfw_key != GLFW_KEY_KP_ENTER) return false;
  if (const auto shown = trace(); shown && !shown->steps.empty())
    show_on_timeline(model, picked_step(*shown, picked.value_or(0)));
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
    const std::string what = text::clean(text::leaf(of_.with));
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

}  // namespace compmond::ui
