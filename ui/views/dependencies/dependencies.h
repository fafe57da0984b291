// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "diagrams/matrix.h"
#include "ui/views/dependencies/dependency_data.h"
#include "ui/views/graph/graph_view.h"

namespace compmond::ui {

// Who calls whom in the window's traces: a graph of components or operations, or its adjacency
// matrix.
class DependenciesView : public GraphView {
 public:
  DependenciesView();
  void draw(const Canvas& canvas, Model& model) override;
  bool animates(const Model& model) const override;
  bool key(int glfw_key, Model& model) override;

 private:
  void forget() override;
  void learn(const snapshot::ReportContent& answer) override {
    data_.take(std::get<snapshot::DependencyGraph>(answer));
  }
  float draw_controls(const Canvas& canvas, Model& model);  // where they end
  void select(const DependencyData::Node& node, Model& model) const;
  bool selected(const DependencyData::Node& node, const Model& model) const;
  bool shows(const DependencyData::Node& node, const Model& model) const;
  bool found(const DependencyData::Node& node, const Model& model) const;
  void node_tooltip(const Canvas& canvas, size_t node) const;
  void call_tooltip(const Canvas& canvas, const Model& model, size_t from, size_t to,
                    const Responses& calls) const;

  // The graph.
  void place(const Canvas& canvas, const Model& model);  // before anything tells of its boxes
  void draw_boxes(const Canvas& canvas, float top, Model& model);
  LineLook look(size_t line, const GraphPane::Pointed& at, const Model& model) const override;
  void draw_frames(const GraphSight& sight) const override;
  void draw_box(const GraphSight& sight, size_t node, bool hovered,
                const Model& model) const override;
  void draw_words(const GraphSight& sight, size_t node, const Box& box, const Model& model) const;
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

  const Switch times_{"Dependencies/times"};  // beside lines
  DependencyData data_;
  layout::MapStyle style_;
  geometry::Pt scroll_;  // of the matrix, pixels
  float heads_top_ = 0;  // of the matrix: where names of columns may end
};

}  // namespace compmond::ui
