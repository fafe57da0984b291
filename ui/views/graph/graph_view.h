// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "layout/map_scene.h"
#include "ui/kit/controls.h"
#include "ui/views/graph/graph_pane.h"
#include "ui/views/shared/analysis_answer.h"
#include "ui/views/shared/switch.h"
#include "ui/views/shared/view.h"

namespace compmond::ui {

// A graph of what the window's traces are made of, by components or by operations: asks for it,
// has it placed, and draws its lines and boxes as the view wants them to look.
class GraphView : public View {
 public:
  void ask(const Model& model, ImVec2, snapshot::ViewRequest& request) const override;
  bool animates(const Model&) const override { return pane_.animates(); }
  bool key(int glfw_key, Model& model) override;  // O, F, A

 protected:
  struct Kind {
    snapshot::Report report;                    // of the analysis
    uint32_t limit;                             // boxes: beyond, nobody can read a graph
    Switch operations;                          // boxes are operations, not components
    std::optional<Switch> programs;             // boxes are programs; none: they never are
    const char* boxes;                          // "boxes", "states"
    const char *of_components, *of_operations;  // what the lines are then
  };
  struct LineLook {
    bool touched = false;     // by the pointer, or at what is selected
    std::string text, brief;  // beside it; brief: where there is no room for the text
    float width = 1;          // design pixels
    float strength = 1;       // 0: as the ground
  };
  struct Box {
    ImVec2 min, max;  // on the screen
    float rounding;
  };

  explicit GraphView(const Kind& kind) : kind_(kind), answer_(kind.report) {}
  virtual void forget() = 0;  // the next answer is of other boxes
  virtual void learn(const snapshot::ReportContent& answer) = 0;  // of kind_.report
  virtual LineLook look(size_t line, const GraphPane::Pointed& at, const Model& model) const = 0;
  virtual void draw_frames(const GraphSight&) const {}  // below the lines
  virtual void draw_box(const GraphSight& sight, size_t box, bool hovered,
                        const Model& model) const = 0;

  void take(const Model& model);                                               // once per frame
  bool by_operation() const { return level_ == snapshot::Level::kOperation; }  // the answer
  layout::MapStyle style(const Canvas& canvas) const;  // with the room that there is
  void draw_level(Controls& controls, Model& model);
  bool by_program(const Model& model) const;
  void next_level(Model& model) const;
  void draw_placing(Controls& controls);  // fit, arrange
  // Over `min` to `max`, what shown_boxes_ and shown_lines_ have; what the pointer is on. None: its
  // boxes are being placed.
  std::optional<GraphPane::Pointed> draw_graph(const Canvas& canvas, ImVec2 min, ImVec2 max,
                                               const Model& model);

  Box draw_body(const GraphSight& sight, size_t box, float rounding, ImU32 fill) const;
  void draw_rim(const GraphSight& sight, const Box& box, bool chosen) const;  // or only hovered

  const Kind kind_;
  AnalysisAnswer answer_;
  GraphPane pane_;
  std::vector<char> shown_boxes_, shown_lines_;

 private:
  void draw_lines(const GraphSight& sight, const GraphPane::Pointed& at, const Model& model);

  LineLabels labels_;
  Word<snapshot::Level> level_;  // of the answer
};

// How near a graph must be for names on its boxes, and for all that they can tell.
inline constexpr float kNameZoom = 0.32f, kAllZoom = 0.7f;
// Towards the ground: what is not in this window, or not found.
inline constexpr float kAbsent = 0.6f;

}  // namespace compmond::ui
