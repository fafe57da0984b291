// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "diagrams/timing.h"
#include "ui/views/shared/view.h"
#include "ui/views/timing/timing_frame.h"

namespace compmond::ui {

// The timing behaviour diagram: a lifeline per component, time downwards, single executions as
// bars. It shows the window: zooming and panning here are changes of the window.
class TimingView : public View {
 public:
  void ask(const Model& model, ImVec2 size, snapshot::ViewRequest& request) const override;
  void draw(const Canvas& canvas, Model& model) override;
  bool has_details() const override { return false; }
  bool animates(const Model& model) const override;
  bool key(int glfw_key, Model& model) override;

 private:
  struct Drag {
    ImVec2 from;
    uint64_t start_ns = 0, end_ns = 0;
    float scroll = 0;
    bool moved = false;
  };
  struct Place {  // of the parts of the canvas
    float left, top, right, bottom;
    float panel;  // left edge of the panel; the canvas's right where there is none
  };

  Place place_of(const Canvas& canvas) const;
  void draw_controls(const Canvas& canvas, const Place& place, Model& model);
  void draw_thread_menu(const Canvas& canvas, ImVec2 min, ImVec2 max, const Model& model);
  void choose_columns(const Place& place, const Canvas& canvas, const Model& model);
  void lay_out(const Place& place, const Canvas& canvas, const Model& model);
  void draw_headers(const TimingFrame& frame, Model& model);
  void draw_scrollbar(const TimingFrame& frame, float content) const;
  void handle_mouse(TimingFrame& frame, Model& model);
  void hover(TimingFrame& frame, ImVec2 mouse) const;
  void drag(const TimingFrame& frame, Model& model);
  void click(const TimingFrame& frame, Model& model);
  void zoom_to_fold(const TimingFrame& frame, Model& model) const;

  std::set<std::string> active_;  // components that had an execution in view since the start
  std::vector<std::string> columns_;
  size_t quiet_ = 0, unseen_ = 0;  // as of TimingFrame
  float column_width_ = 0, scroll_ = 0;
  geometry::Axis axis_;
  diagrams::TimingLayout layout_;
  std::vector<uint32_t> slowest_;
  uint64_t slowest_of_ = 0;  // generation
  int64_t thread_ = -1;      // tid; -1: all
  std::optional<Drag> drag_;
};

}  // namespace compmond::ui
