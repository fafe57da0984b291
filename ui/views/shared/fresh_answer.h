// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "ui/model/model.h"

namespace compmond::ui {

// Tells whether the newest analysis in the model answers what a view asks now, or what somebody
// asked before.
class FreshAnswer {
 public:
  void asked_anew(const Model& model) {
    generation_ = model.generation;
    stale_ = model.analysis;
  }
  // One request is on its way at a time: the answer after the next one is to this question.
  bool certain(const Model& model) const { return model.generation >= generation_ + 2; }
  bool there(const Model& model) const {
    return model.analysis && (certain(model) || model.analysis != stale_);
  }

 private:
  uint64_t generation_ = 0;
  std::optional<snapshot::AnalysisView> stale_;
};

}  // namespace compmond::ui
