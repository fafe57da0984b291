// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ui/views/shared/fresh_answer.h"
#include "ui/views/shared/switch.h"
#include "ui/views/shared/view.h"
#include "ui/views/traces/trace_columns.h"

namespace compmond::ui {

// The traces of the window, or their equivalence classes: searched, filtered and sorted by the
// daemon, so that what is listed first is first of all of them.
class TracesView : public View {
 public:
  void ask(const Model& model, ImVec2, snapshot::ViewRequest& request) const override {
    request.analysis = question(model);
  }
  void draw(const Canvas& canvas, Model& model) override;
  bool key(int glfw_key, Model& model) override;

 private:
  struct Place {
    size_t column;  // of the list's columns
    float left, right;
  };
  struct Plan {
    float name_left, name_right;
    std::vector<Place> places;
  };

  static constexpr Switch kListsClasses{"Traces/classes"};
  const ListColumn& column(size_t i) const;
  std::vector<size_t> columns() const;  // with something to show
  snapshot::AnalysisRequest question(const Model& model) const;
  void take(const Model& model);
  void sort_classes();
  // What is shown is one of them, or there is nothing yet.
  const snapshot::Traces* traces() const {
    return shown_ ? shown_->as<snapshot::Traces>() : nullptr;
  }
  const snapshot::Classes* classes() const {
    return shown_ ? shown_->as<snapshot::Classes>() : nullptr;
  }
  size_t rows() const;
  std::optional<size_t> chosen_row(const Model& model) const;
  void choose(Model& model, size_t row) const;
  void open(Model& model, size_t row, ViewId view) const;

  void draw_controls(const Canvas& canvas, Model& model);
  void draw_search(const Canvas& canvas, Model& model, float& x, float top, float bottom);
  void draw_shortest(const Canvas& canvas, Model& model, float& x, float top, float bottom);
  void draw_filters(const Canvas& canvas, Model& model, float& x, float top, float bottom);
  void draw_absence(const Canvas& canvas, const Model& model) const;
  Plan plan(const Canvas& canvas) const;
  void draw_head(const Canvas& canvas, const Plan& plan);
  void head_cell(const Canvas& canvas, size_t column, float left, float right);
  void draw_row(const Canvas& canvas, const Plan& plan, Model& model, size_t row, float y);
  void draw_cell(const Canvas& canvas, const Model& model, const Place& place, size_t row,
                 float y) const;
  void draw_footer(const Canvas& canvas, Model& model) const;

  ListOrder traces_order_ = kNewestFirst, classes_order_ = kLargestFirst;
  bool sessions_ = false;  // a trace that is shown has one
  std::optional<snapshot::AnalysisView> shown_;
  snapshot::AnalysisRequest asked_;
  FreshAnswer answer_;
  uint64_t taken_ = 0;                // generation of the model when shown_ was
  std::optional<size_t> chosen_row_;  // of this frame
  uint64_t longest_ns_ = 1, largest_ = 1;
  bool sure_ = false;                         // shown_ answers asked_
  bool pointed_at_ = false, reveal_ = false;  // the list; the chosen row is to be scrolled to
};

}  // namespace compmond::ui
