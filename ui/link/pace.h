// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "protocol/view_request.h"
#include "ui/model/model.h"

namespace compmond::ui {

// When to ask the daemon: 25 times a second while the window follows a live run, twice while
// nothing is called in it, at once when something else is wanted, otherwise once a second for news,
// and never faster than the daemon and the decoding can follow. Analyses come once a second, or at
// once when another one is wanted. Seconds of the screen's clock.
class Pace {
 public:
  bool due(const Model& model, const snapshot::ViewRequest& request, double now_s) const;
  // Until a request may become due by itself.
  double wait_s(const Model& model, double now_s) const;
  // What of it to ask for now: a large strip and an analysis are wanted less often than the
  // figures.
  snapshot::ViewRequest trimmed(snapshot::ViewRequest request, size_t components,
                                double now_s) const;
  void asked(const snapshot::ViewRequest& request, double now_s);
  void answered(double now_s);
  void lost() {
    asked_.reset(), strip_.reset(), question_.reset();
  }  // a new connection knows nothing

 private:
  // What an analysis depends on but for time that passes.
  struct Question {
    snapshot::AnalysisRequest analysis;
    snapshot::TimeWindow window;
    snapshot::ViewFilter filter;
    bool operator==(const Question&) const = default;
  };
  static std::optional<Question> question(const snapshot::ViewRequest& request);
  bool other_question(const snapshot::ViewRequest& request) const;
  double interval(const Model& model) const;
  std::optional<snapshot::ViewRequest> asked_;
  std::optional<snapshot::ViewRequest::Strip> strip_;  // the last one
  std::optional<Question> question_;                   // likewise
  double asked_s_ = -1e9, strip_s_ = -1e9, question_s_ = -1e9, took_s_ = 0;
};

}  // namespace compmond::ui
