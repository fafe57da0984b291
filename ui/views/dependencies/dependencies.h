// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "diagrams/matrix.h"
#include "ui/views/dependencies/dependency_data.h"
#include "ui/views/shared/analysis_answer.h"
#include "ui/views/shared/graph_pane.h"
#include "ui/views/shared/view.h"

namespace compmond::ui {

// Who calls whom in the window's traces: a graph of components or operations, or its adjacency
// matrix.
class DependenciesView : public View {
 public:
  const char* name() const override { return "Dependencies"; }
  const char* purpose() const override {
    return "Who calls whom, how often and how long it takes: a graph, or a matrix (V).";
  }
  void ask(const Model& model, float width, float height,
           snapshot::ViewRequest& request) const override;
  void draw(const Canvas& canvas, Model& model) override;
  bool animates(const Model& model) const override;
  bool key(int glfw_key, Model& model) override;

 private:
  void take(const Model& model);
  float draw_controls(const Canvas& canvas, Model& model);  // where they end
  void select(const DependencyData::Node& node, Model& model) const;
  bool selected(const DependencyData::Node& node, const Model& model) const;
  bool found(const DependencyData::Node& node, const Model& model) const;
  void node_tooltip(const Canvas& canvas, size_t node) const;
  void call_tooltip(const Canvas& canvas, const Model& model, size_t from, size_t to,
                    const Responses& calls) const;

  // The graph.
  void place(const Canvas& canvas, const Model& model);  // before anything tells of its boxes
  void draw_graph(const Canvas& canvas, float top, Model& model);
  void draw_lines(const GraphSight& sight, const GraphPane::Pointed& at, const Model& model);
  void draw_node(const GraphSight& sight, size_t node, bool hovered, const Model& model) const;
  void draw_words(const GraphSight& sight, size_t node, ImVec2 min, ImVec2 max,
                  const Model& model) const;
  void draw_frame(const GraphSight& sight, size_t node) const;

  // The matrix.
  void draw_matrix(const Canvas& canvas, float top, Model& model);
  void draw_heads(const Canvas& canvas, const diagrams::Matrix& at, const diagrams::MatrixPlace& on,
                  const std::vector<size_t>& rows, const Model& model) const;
  void draw_cells(const Canvas& canvas, const diagrams::Matrix& at, const diagrams::MatrixPlace& on,
                  const std::vector<size_t>& rows, const Model& model) const;
  void matrix_mouse(const Canvas& canvas, const diagrams::Matrix& at,
                    const diagrams::MatrixPlace& on, const std::vector<size_t>& rows, Model& model);
  Responses calls(size_t from, size_t to) const;

  AnalysisAnswer answer_{snapshot::Report::kDependencyGraph};
  Word<snapshot::Level> level_;  // of the data
  DependencyData data_;
  GraphPane pane_;
  layout::MapStyle style_;
  LineLabels labels_;
  std::vector<char> shown_boxes_, shown_lines_;
  geometry::Pt scroll_;  // of the matrix, pixels
  float heads_top_ = 0;  // of the matrix: where names of columns may end
};

std::unique_ptr<View> make_dependencies_view();

}  // namespace compmond::ui
