// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "diagrams/trace_timing.h"
#include "ui/views/one_trace/trace_diagram.h"

namespace compmond::ui {

inline constexpr float kTraceAxis = 28;  // design pixels

// The executions of one trace over its time: a row per operation, ordered by first start.
class TraceTimingView : public TraceDiagram {
 public:
  TraceTimingView() : TraceDiagram(ViewId::kTraceTiming) {}

 private:
  // What is drawn from, of this frame.
  struct Frame {
    const Canvas& canvas;
    const AnsweredTrace trace;
    float left, top, right, bottom;  // of the plot
    geometry::Axis axis;
    diagrams::TraceRows rows;  // in pixels

    // Of what stands that far below the first row's top.
    float y(double down, float scroll) const { return top + float(down) - scroll; }
  };
  struct Drag {
    ImVec2 from;
    geometry::Axis axis;
    float scroll = 0;
    bool moved = false;
  };

  void start_over(const Model& model) override;
  void draw_trace(const Canvas& canvas, Model& model) override;
  void show_all() override;
  Frame frame_of(const Canvas& canvas, const Model& model);
  void handle_mouse(const Frame& frame, Model& model);
  void point(const Frame& frame, ImVec2 at);
  void click(const Frame& frame, Model& model);
  void draw_rows(const Frame& frame, Model& model) const;
  void draw_axis(const Frame& frame) const;
  void draw_calls(const Frame& frame) const;
  void draw_bars(const Frame& frame, const Model& model) const;
  void draw_hover(const Frame& frame, const Model& model) const;
  void bar_rect(const Frame& frame, const diagrams::TraceBar& bar, ImVec2& min, ImVec2& max) const;

  diagrams::TraceTimingLayout layout_;
  uint64_t start_ns_ = 0, end_ns_ = 0;  // what the axis shows; nothing: the whole trace
  float scroll_ = 0, names_ = 160;
  std::optional<size_t> pointed_bar_, pointed_fold_;
  std::optional<Drag> drag_;
};

}  // namespace compmond::ui
