// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/analysis_view.h"
#include "ui/kit/canvas.h"
#include "ui/kit/controls.h"
#include "ui/model/model.h"

// What the views of analyses have in common: the answer that they draw, what it is about, and what
// stands there while there is none.
namespace compmond::ui {

// The newest answer of one report. It stays while answers to other views come.
class AnalysisAnswer {
 public:
  explicit AnalysisAnswer(snapshot::Report report) : report_(report) {}
  // Once per frame; whether it has another content than before.
  bool take(const Model& model);
  const snapshot::AnalysisView* view() const { return view_ ? &*view_ : nullptr; }
  // "≥" before counts of calls where probes were away for a part of the time; else nothing.
  std::string mark() const { return view_ && view_->observed_share ? "≥" : ""; }

 private:
  snapshot::Report report_;
  std::optional<snapshot::AnalysisView> view_;
  uint64_t generation_ = 0;
};

// Says over `min` to `max` why there is nothing to show, and what to do. False where there is.
// `what`: of which traces, as "trace 7"; empty: all of the window.
bool draw_no_analysis(const Canvas& canvas, ImVec2 min, ImVec2 max, const Model& model,
                      const snapshot::AnalysisView* answer, const std::string& what);

// The window of an answer: "last 5.00 s", or from when to when of the run.
std::string analysed_window(const Model& model, const snapshot::AnalysisView& answer);

struct NotePart {
  std::string text;
  bool bad = false;  // figures are missing
};
// Below the buttons one quiet line, or as many as it takes; in amber what is bad. Hovering explains
// it. Where it ends; without parts, as if there were one line.
float draw_note(const Canvas& canvas, const Controls& controls, const std::vector<NotePart>& parts,
                std::string_view meaning);

// That of an analysis of traces: `what`, how many traces and executions of which window, and
// what is not among them. `more` stands at its end.
float draw_analysis_note(const Canvas& canvas, const Controls& controls, const Model& model,
                         const snapshot::AnalysisView* answer, const std::string& what,
                         const std::string& more = {});

// "calls are missing: all probes were there 38 % of the time"; empty where none were away.
std::string missing_calls_text(std::optional<double> observed_share);
// What that means for traces, a sentence or two.
inline constexpr std::string_view kMissingCalls =
    "Calls are missing: the dearest probes were away for a part of the time, to keep the overhead "
    "budget (--max-overhead). What they would have seen stands under another caller or under none, "
    "and its time in the real times of its callers. Map (1) and Table (3) say what is known of "
    "all times.";

// A button that lists the traces of what is selected, where something is.
void draw_traces_link(Controls& controls, Model& model);

}  // namespace compmond::ui
