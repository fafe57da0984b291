// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diagrams/flame.h"
#include "ui/kit/controls.h"
#include "ui/kit/table_head.h"
#include "ui/views/inside/inside_data.h"
#include "ui/views/shared/analysis_answer.h"
#include "ui/views/shared/choice.h"
#include "ui/views/shared/flame_pane.h"
#include "ui/views/shared/fresh_answer.h"
#include "ui/views/shared/view.h"

namespace compmond::ui {

// The functions inside a component or an operation, from samples: a table, and beside it a flame
// graph or icicle of what they call or who calls them. It is about what is selected; while nothing
// is, about what was last, at first the hottest component. What is looked at is kept by name, so
// that it stays while answers follow each other.
class InsideView : public View {
 public:
  void ask(const Model& model, ImVec2 size, snapshot::ViewRequest& request) const override;
  void draw(const Canvas& canvas, Model& model) override;
  bool key(int glfw_key, Model& model) override;
  bool has_details() const override { return false; }

 private:
  static constexpr Switch kAlone{"Inside/alone"}, kCallers{"Inside/callers"},
      kIcicle{"Inside/icicle"};
  static constexpr Choice kTime{"Inside/time", 3}, kBy{"Inside/by", 3};
  struct Place {
    InsideColumn column;
    float left, right, spread;  // spread: of that, kept at the right for how far it may be off
  };
  struct Plan {
    float name_left = 0, name_right = 0;
    std::vector<Place> places;
  };

  // What is looked into, and whether all of it is there to be asked for.
  void follow(const Model& model);
  snapshot::AnalysisRequest question(const Model& model) const;
  bool can_ask(const Model& model) const;
  bool contains_others(const Model& model) const;
  void take(const Model& model);
  const snapshot::Inside* inside() const {
    return shown_ ? shown_->as<snapshot::Inside>() : nullptr;
  }
  bool waits() const { return inside() && inside()->off_cpu_share > 0; }
  InsideTime time(const Model& model) const;  // both where waiting was not sampled
  InsideBy by(const Model& model) const;
  void select(std::string key);  // a row; none: empty

  float draw_controls(const Canvas& canvas, Model& model);  // where they end
  void draw_ways(Controls& controls, Model& model);
  std::vector<NotePart> note(const Model& model) const;
  bool draw_absence(const Canvas& canvas, const Model& model) const;

  // The table.
  static constexpr float kRow = 24;  // design pixels
  void make_rows(const Model& model);
  Plan plan(const Canvas& canvas, const Model& model) const;
  void draw_table(const Canvas& canvas, Model& model);
  void head_cell(const Canvas& canvas, const Model& model, InsideColumn column, float left,
                 float right);
  void draw_row(const Canvas& canvas, const Plan& plan, const Model& model, const InsideRow& row,
                float y);
  void draw_cell(const Canvas& canvas, const Place& place, const Model& model, const InsideRow& row,
                 float y) const;
  std::string figures_text(const InsideRow& row) const;
  bool row_key_pressed(int glfw_key, const Model& model);

  // The drawing.
  void make_drawing(const Model& model, float width);
  void draw_drawing(const Canvas& canvas, Model& model);
  void draw_box(const Canvas& canvas, const diagrams::FlameBox& box, ImVec2 min, ImVec2 max,
                float rounding, const Model& model);
  void drawing_mouse(const Canvas& place, Model& model);
  void draw_legend(const Canvas& canvas, float top) const;
  void node_tooltip(const Canvas& canvas, uint32_t node, const Model& model) const;
  const snapshot::Inside::Function* function_of(uint32_t node) const;
  void zoom_into_selected(const Model& model);

  std::string component_, operation_;  // the part
  bool by_default_ = false;            // nobody has chosen it
  std::optional<snapshot::AnalysisView> shown_;
  snapshot::AnalysisRequest asked_;
  FreshAnswer answer_;
  bool sure_ = false;      // shown_ answers asked_
  uint64_t taken_ = 0;     // generation of the model when shown_ was
  uint64_t revision_ = 0;  // of shown_
  bool pointed_at_ = false;

  std::string selected_;  // key of a row
  bool reveal_ = false;   // it is to be scrolled to
  InsideOrder order_;
  std::vector<InsideRow> rows_;
  struct RowsFor {
    uint64_t revision = 0;
    InsideBy by = InsideBy::kFunction;
    InsideTime time = InsideTime::kBoth;
    InsideOrder order;
    std::string search;
    bool operator==(const RowsFor&) const = default;
  } rows_for_;

  diagrams::CallTree tree_;
  diagrams::Flame flame_;
  struct DrawnFor {
    uint64_t revision = 0;
    bool callers = false;
    InsideTime time = InsideTime::kBoth;
    bool operator==(const DrawnFor&) const = default;
  } tree_for_;
  struct FlameFor {
    DrawnFor tree;
    uint64_t top = 0;  // as FlamePane::top_key()
    float width = 0;
    bool operator==(const FlameFor&) const = default;
  } flame_for_;
  FlamePane pane_;
};

}  // namespace compmond::ui
