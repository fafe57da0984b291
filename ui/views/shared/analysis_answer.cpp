// SPDX-License-Identifier: Apache-2.0
#include "ui/views/shared/analysis_answer.h"

#include <fmt/format.h>

#include <algorithm>

#include "text/clean.h"
#include "text/match.h"
#include "text/numbers.h"
#include "ui/kit/draw.h"
#include "ui/model/run_time.h"
#include "ui/model/switching.h"
#include "ui/model/trace_links.h"
#include "ui/views/shared/definitions.h"
#include "ui/views/shared/empty.h"
#include "ui/views/shared/operation_name.h"

namespace compmond::ui {
namespace {

bool filtered(const snapshot::ViewFilter& filter) { return filter != snapshot::ViewFilter{}; }

std::vector<NotePart> parts_of(const Model& model, const snapshot::AnalysisView& answer,
                               const std::string& what) {
  std::vector<NotePart> parts{
      {fmt::format("{}: {}, {}, {}", what, text::counted(answer.traces, "trace"),
                   text::counted(answer.executions, "execution"), analysed_window(model, answer)),
       false}};
  if (filtered(model.settings.filter)) parts.push_back({"filtered", false});
  if (answer.unfinished > 0)
    parts.push_back({fmt::format("{} still running", text::count(answer.unfinished)), false});
  if (answer.broken > 0)
    parts.push_back({text::counted(answer.broken, "broken trace") + " left out", true});
  if (answer.partial)
    parts.push_back(
        {fmt::format("only since {}", moment_text(model, answer.analysed_since_ns, 1e7)), true});
  if (answer.left_out > 0)
    parts.push_back({fmt::format("{} more not shown", text::count(answer.left_out)), true});
  if (answer.observed_share)
    parts.push_back({"≥ " + missing_calls_text(answer.observed_share), true});
  return parts;
}

std::string explained(const snapshot::AnalysisView& answer) {
  std::string text(definition(Term::kAnalysed).text);
  if (answer.unfinished > 0) text += "\nStill running: they are left out until they have ended.";
  if (answer.broken > 0)
    text += "\nBroken: some of their executions are not kept any more, or were lost.";
  if (answer.partial)
    text +=
        "\nOnly since: what is older is not kept in full any more, or is more than is looked at "
        "at once. A shorter window (-) is analysed whole.";
  if (answer.left_out > 0) text += "\nNot shown: there is more than a window can draw.";
  if (answer.observed_share) text += "\n" + std::string(kMissingCalls);
  return text;
}

}  // namespace

std::string analysed_window(const Model& model, const snapshot::AnalysisView& answer) {
  return window_text(model, {std::min(answer.start_ns, answer.end_ns), answer.end_ns});
}

std::string missing_calls_text(std::optional<double> observed_share) {
  if (!observed_share) return {};
  return fmt::format("calls are missing: all probes were there {} of the time",
                     text::whole_percent(100 * *observed_share));
}

bool AnalysisAnswer::take(const Model& model) {
  if (generation_ == model.generation && view_) return false;
  generation_ = model.generation;
  if (!model.analysis || model.analysis->report != report_ || view_ == model.analysis) return false;
  view_ = model.analysis;
  return true;
}

bool draw_no_analysis(const Canvas& canvas, ImVec2 min, ImVec2 max, const Model& model,
                      const snapshot::AnalysisView* answer, const std::string& what) {
  const auto say = [&](const std::string& sentence, const std::string& advice) {
    draw_empty(canvas.list, canvas.theme, min, max, sentence, advice);
    return true;
  };
  if (!answer) return say("Waiting for the traces of this window.", "");
  if (answer->traces > 0) return false;
  if (!what.empty())
    return say(fmt::format("There is nothing of {} any more.", what),
               "Its executions are not kept, or lie outside the window. Choose another one in "
               "Traces, or look at all traces.");
  if (answer->unfinished > 0)
    return say("No trace has ended in this window.",
               fmt::format("{} still running: a trace is complete when its first execution has "
                           "returned. A longer window (+) shows more.",
                           text::counted(answer->unfinished, "trace is", "traces are")));
  if (answer->broken > 0)
    return say(
        "No trace of this window is complete.",
        answer->observed_share
            ? fmt::format("Of {} some executions were not seen, as probes were {}: {}. A "
                          "window in which they were there has whole ones.",
                          text::counted(answer->broken, "trace"),
                          why_away(model.snapshot->health, {answer->start_ns, answer->end_ns}),
                          missing_calls_text(answer->observed_share))
            : fmt::format("Of {} some executions are not kept any more, or were lost. A "
                          "window closer to now (L) has whole ones.",
                          text::counted(answer->broken, "trace")));
  if (filtered(model.settings.filter))
    return say("No trace passes the filter in this window.",
               "A longer window (+) or a wider filter shows more.");
  const std::string quiet = no_calls_text(model);
  return say(quiet.empty() ? "There is no trace in this window." : quiet,
             "Make the window longer (+), or drag it to where the time scale shows activity.");
}

float draw_note(const Canvas& canvas, const Controls& controls, const std::vector<NotePart>& parts,
                std::string_view meaning) {
  const Theme& theme = canvas.theme;
  const float left = canvas.min.x + canvas.px(14), end = canvas.max.x - canvas.px(14);
  const float top = controls.bottom() + canvas.px(7), line = theme.body->FontSize + canvas.px(2);
  float x = left, y = top, widest = left;
  std::string whole;
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::string text = (i > 0 ? " · " : "") + parts[i].text;
    whole += text;
    const float width = text_size(theme.body, text).x;
    const bool next_line = x > left && x + width > end;
    if (next_line) x = left, y += line;
    const std::string& shown = next_line ? parts[i].text : text;
    draw_text(canvas.list, theme.body, {x, y}, parts[i].bad ? theme.amber : theme.dim, shown,
              end - x);
    x += text_size(theme.body, shown).x;
    widest = std::max(widest, std::min(x, end));
  }
  const float bottom = y + theme.body->FontSize;
  if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect({left, top}, {widest, bottom}))
    tooltip(theme, whole, meaning, "");
  return bottom + canvas.px(6);
}

float draw_analysis_note(const Canvas& canvas, const Controls& controls, const Model& model,
                         const snapshot::AnalysisView* answer, const std::string& what,
                         const std::string& more) {
  if (!answer) return draw_note(canvas, controls, {}, "");
  std::vector<NotePart> parts = parts_of(model, *answer, what);
  if (!more.empty()) parts.push_back({more, false});
  return draw_note(canvas, controls, parts, explained(*answer));
}

void draw_traces_link(Controls& controls, Model& model) {
  const Selection& selection = model.selection;
  if (selection.component.empty()) return;
  const std::string what = selection.operation.empty()
                               ? text::clean(text::leaf(selection.component))
                               : text::clean(text::leaf(selection.component)) + "." +
                                     short_operation(selection.operation);
  controls.gap();
  if (controls.link("traces of " + what, "Lists the traces with an execution of it (R)."))
    show_traces_of(model, selection.component, selection.operation);
}

}  // namespace compmond::ui
