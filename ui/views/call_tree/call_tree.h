// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "diagrams/flame.h"
#include "ui/kit/table_head.h"
#include "ui/views/shared/analysis_answer.h"
#include "ui/views/shared/flame_pane.h"
#include "ui/views/shared/switch.h"
#include "ui/views/shared/view.h"

namespace compmond::ui {

// The calls of the window's traces as a tree: rows with figures, or a flame graph. What is open,
// looked at and zoomed into is kept by path, so that it stays while answers follow each other.
class CallTreeView : public View {
 public:
  void ask(const Model& model, ImVec2 size, snapshot::ViewRequest& request) const override;
  void draw(const Canvas& canvas, Model& model) override;
  bool key(int glfw_key, Model& model) override;

 private:
  enum class Scope { kAll, kClass, kTrace };
  static Scope scope_of(const TraceChoice& chosen);
  struct Columns {  // right edges of the figures; the share's bar between bar_left and bar_right
    float name_right = 0, count = 0, raw = 0, real = 0, bar_left = 0, bar_right = 0;
  };

  Scope scope(const Model& model) const;
  std::string scope_text(const Model& model) const;
  bool flame_shown(const Model& model) const;
  diagrams::FlameWidth width_of(const Model& model) const;
  void take(const Model& model);
  float draw_controls(const Canvas& canvas, Model& model);  // where they end
  void draw_scope(Controls& controls, const Model& model);
  bool found(const Model& model, uint32_t node) const;
  void select(uint32_t node, Model& model);
  void node_tooltip(const Canvas& canvas, uint32_t node) const;
  const diagrams::CallTreeNode* node_at(uint64_t key) const { return tree_.find(key); }
  uint32_t number(const diagrams::CallTreeNode& node) const {
    return uint32_t(&node - tree_.nodes.data());
  }

  // The tree.
  static constexpr float kRow = 23, kSide = 14;  // design pixels: a row, beside all of them
  void make_rows(const Model& model);
  void draw_rows(const Canvas& canvas, float top, Model& model);
  Columns columns(const Canvas& canvas) const;
  void draw_heads(const Canvas& canvas, const Columns& at, float top);
  void head(const Canvas& canvas, diagrams::TreeColumn column, const HeadCell& cell);
  void draw_row(const Canvas& canvas, const Columns& at, const diagrams::TreeRow& row, float y,
                Model& model);
  float draw_arrow(const Canvas& canvas, const diagrams::TreeRow& row,
                   float y);  // where names begin
  void draw_path(const Canvas& canvas, ImVec2 at, float room, uint32_t node,
                 const Model& model) const;
  void draw_figures(const Canvas& canvas, const Columns& at, float y, uint32_t node,
                    const Model& model) const;
  void draw_share(const Canvas& canvas, const Columns& at, float y, uint32_t node,
                  const Model& model) const;
  void toggle(uint32_t node, bool open);
  bool row_key(int glfw_key, Model& model);

  // The flame graph.
  void draw_flame(const Canvas& place, Model& model);
  void draw_box(const Canvas& canvas, const diagrams::FlameBox& box, ImVec2 min, ImVec2 max,
                float rounding, const Model& model);
  void flame_mouse(const Canvas& place, Model& model);
  bool flame_key(int glfw_key, Model& model);

  const Switch hotness_{"Call tree/hotness"};  // colours of the flame graph, not components'
  AnalysisAnswer answer_{snapshot::Report::kCallTree};
  diagrams::CallTree tree_;
  uint64_t revision_ = 0;    // of the tree
  uint64_t hottest_ns_ = 1;  // the largest real time of a node
  // What was switched to for this choice; another choice is looked at by itself.
  Scope scope_ = Scope::kAll;
  TraceChoice chosen_;
  std::string asked_what_, what_;  // scope_text() of the question and of the answer that is shown
  uint64_t asked_ = 0;             // generation of the model when the question changed
  uint64_t focus_ = 0;             // key of the node that the keyboard is on; 0: none

  diagrams::TreeOrder order_;
  diagrams::TreeOpening opening_;
  bool opened_ = false;  // it was decided how much is open at first
  std::vector<diagrams::TreeRow> rows_;
  struct RowsFor {
    uint64_t revision = 0;
    diagrams::TreeOrder order;
    diagrams::TreeOpening opening;
    std::string search;
    bool operator==(const RowsFor&) const = default;
  } rows_for_;
  bool show_focus_ = false;  // scroll it into view
  float page_ = 400;         // pixels of rows that are seen

  diagrams::Flame flame_;
  struct FlameFor {
    uint64_t revision = 0, top = 0;  // top: as FlamePane::top_key()
    diagrams::FlameWidth what = diagrams::FlameWidth::kRaw;
    float width = 0;
    bool operator==(const FlameFor&) const = default;
  } flame_for_;
  FlamePane pane_;
};

}  // namespace compmond::ui
