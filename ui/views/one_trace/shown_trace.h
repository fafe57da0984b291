// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "protocol/analysis_view.h"
#include "ui/kit/canvas.h"
#include "ui/model/answered_trace.h"
#include "ui/model/model.h"
#include "ui/views/shared/fresh_answer.h"

namespace compmond::ui {

// The trace that a view shows: the chosen one, the newest of the chosen class, or the newest of
// those that are listed, with a call of the selected component; the last two follow a window that
// moves on.
class ShownTrace {
 public:
  void ask(const Model& model, snapshot::ViewRequest& request) const;
  // Takes a newer answer in; while `held`, one that follows stays as it is. Whether another trace
  // is shown since the last call.
  bool take(const Model& model, bool held);
  // Until the next take(); none: see draw_absence().
  std::optional<AnsweredTrace> trace() const {
    return view_ ? answered_trace(*view_) : std::nullopt;
  }
  // It is the newest with a call of this component; empty: of any.
  const std::string& with() const { return view_of_.with; }
  // Says why there is no trace, and what to do.
  void draw_absence(const Canvas& canvas, ImVec2 min, const Model& model) const;

  double since_start(uint64_t ns) const;  // of the trace; there must be one
  // Enter: shows the picked step, or the whole trace, on the timeline. Whether that was the key.
  bool goes_on(int glfw_key, Model& model, std::optional<uint32_t> picked) const;

 private:
  // What tells one trace from another.
  struct Question {
    TraceChoice chosen;
    std::string with;  // a call of this component; empty: of any
    bool operator==(const Question&) const = default;
  };

  Question question(const Model& model) const;

  Question of_;                                 // asked now
  Question view_of_;                            // that view_ answers
  std::optional<snapshot::AnalysisView> view_;  // of one trace
  FreshAnswer answer_;
  uint64_t taken_ = 0;  // generation of the model when view_ was
};

}  // namespace compmond::ui
