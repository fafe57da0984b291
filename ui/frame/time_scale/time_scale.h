// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "geometry/axis.h"
#include "protocol/view_request.h"
#include "ui/frame/time_scale/strip_rows.h"
#include "ui/kit/canvas.h"
#include "ui/model/model.h"

namespace compmond::ui {

inline constexpr float kTimeAxis = 26;  // design pixels, below the rows

size_t shown_components(const Model& model);  // with a row there
// Design pixels above the rows, for marks at switches: once there was one.
float switch_lane(const Model& model);

// What components did over time, and the window on it: dragged to move it, at its edges to resize
// it, elsewhere to put it there. The wheel zooms, a drag with the right button pans, a double click
// shows the whole run. While the window is live the range follows; while it is not, it stands
// still.
class TimeScale {
 public:
  float wanted_height(const Model& model, const Theme& theme, float available) const;
  // `width`: of the canvas.
  void ask(const Model& model, const Theme& theme, float width,
           snapshot::ViewRequest& request) const;
  void draw(const Canvas& canvas, Model& model);

 private:
  struct Geometry {
    float left, right;  // of the plot
    float top, bottom;  // of the rows
    float label_left;
  };
  enum class Grip { kNone, kMove, kStart, kEnd, kPan };

  Geometry geometry(const Canvas& canvas, const Model& model) const;
  Window range(const Model& model) const;
  geometry::Axis axis(const Geometry& at, const Model& model) const;
  void hold_range(const Model& model);  // follow, stand still, or go where the window went
  void draw_grounds(const Canvas& canvas, const Geometry& at, const geometry::Axis& axis,
                    const Model& model) const;
  void draw_rows(const Canvas& canvas, const Geometry& at, const geometry::Axis& axis,
                 Model& model);
  void draw_labels(const Canvas& canvas, const Geometry& at, Model& model) const;
  void draw_losses(const Canvas& canvas, const Geometry& at, const geometry::Axis& axis,
                   const Model& model) const;
  void draw_slices(const Canvas& canvas, const Geometry& at, const geometry::Axis& axis,
                   const Model& model) const;
  void draw_busy(const Canvas& canvas, const Geometry& at, const geometry::Axis& axis,
                 const Model& model) const;
  void draw_off(const Canvas& canvas, const Geometry& at, const geometry::Axis& axis,
                const Model& model) const;
  void draw_switches(const Canvas& canvas, const Geometry& at, const geometry::Axis& axis,
                     const Model& model) const;
  void draw_violations(const Canvas& canvas, const Geometry& at, const geometry::Axis& axis,
                       const Model& model) const;
  // Of the columns from `from` to `to`, a line each; empty: none.
  std::string violations_text(const Model& model, uint32_t from, uint32_t to) const;
  void draw_axis(const Canvas& canvas, const Geometry& at, const geometry::Axis& axis,
                 const Model& model) const;
  void draw_window(const Canvas& canvas, const Geometry& at, const geometry::Axis& axis,
                   const Model& model) const;
  void draw_buttons(const Canvas& canvas, const Geometry& at, Model& model);
  void handle_mouse(const Canvas& canvas, const Geometry& at, const geometry::Axis& axis,
                    Model& model);
  void drag(const geometry::Axis& axis, Model& model);
  Grip grip_at(float x, const Theme& theme, const geometry::Axis& axis, const Model& model) const;
  void hover_cell(const Canvas& canvas, const Geometry& at, const geometry::Axis& axis,
                  const Model& model) const;

  uint64_t span_ns_ = 0;              // 0: by the age of the run and the length of the window
  bool whole_ = false;                // the whole run, however long
  std::optional<uint64_t> start_ns_;  // where the range stands while it does not follow
  Grip grip_ = Grip::kNone;
  bool dragged_ = false;   // since the grip
  ChosenWindow touched_;   // before the first click of what may become a double click
  double grabbed_ns_ = 0;  // from the gripped place to the window's start (or end)
  Window seen_window_;     // of the frame before
  StripRows rows_;         // of generation rows_of_
  uint64_t rows_of_ = 0;
  size_t row_lines_ = 0;
};

}  // namespace compmond::ui
