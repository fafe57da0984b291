// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "diagrams/sequence.h"
#include "ui/views/one_trace/trace_diagram.h"

namespace compmond::ui {

// A UML sequence diagram of one trace: a lifeline per component, calls and returns between them in
// their order from top to bottom.
class SequenceView : public TraceDiagram {
 public:
  SequenceView() : TraceDiagram(ViewId::kSequence) {}

 private:
  // What is drawn from, of this frame.
  struct Frame {
    const Canvas& canvas;
    const AnsweredTrace trace;
    float left, top, right, bottom;  // of the plot
    float unit;                      // pixels per layout unit
    ImVec2 origin;                   // the layout's upper left corner on the screen

    float x(double layout) const { return origin.x + float(layout) * unit; }
    float y(double layout) const { return origin.y + float(layout) * unit; }
    bool sees(double y0, double y1) const { return y(y1) >= top && y(y0) <= bottom; }
  };
  struct Drag {
    ImVec2 from, scroll;
    bool moved = false;
  };

  void start_over(const Model& model) override;
  void draw_trace(const Canvas& canvas, Model& model) override;
  void show_all() override;
  Frame frame_of(const Canvas& canvas) const;
  void lay_out(const Canvas& canvas, const Model& model);
  void draw_headers(const Frame& frame, Model& model);
  void draw_lifelines(const Frame& frame) const;
  void draw_loops(const Frame& frame) const;
  void draw_activations(const Frame& frame, const Model& model) const;
  void draw_messages(const Frame& frame) const;
  void draw_label(const Frame& frame, const diagrams::SequenceMessage& message) const;
  void draw_times(const Frame& frame, float bottom) const;
  void draw_scrollbars(const Frame& frame) const;
  void handle_mouse(const Frame& frame, Model& model);
  void zoom(const Frame& frame, double factor, ImVec2 at);
  std::optional<uint32_t> step_at(const Frame& frame, ImVec2 at) const;
  ImVec2 content(const Frame& frame) const;  // pixels
  void keep_in(const Frame& frame);

  diagrams::SequenceLayout layout_;
  bool folded_ = true;  // layout_ is
  float zoom_ = 1;
  ImVec2 scroll_{0, 0};              // pixels
  std::optional<uint32_t> pointed_;  // step
  std::optional<Drag> drag_;
};

}  // namespace compmond::ui
