// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imgui.h>

#include <memory>
#include <vector>

#include "snapshot/view.h"
#include "ui/model.h"
#include "ui/theme.h"

namespace compmond::ui {

// Where to draw: a rectangle in pixels that is the whole of an ImGui child window made for it,
// which is current while drawing. So ImGui's items (InvisibleButton, IsItemHovered, BeginTable)
// work and are clipped to it; `list` is that window's list.
struct Canvas {
  ImDrawList* list;
  ImVec2 min, max;
  const Theme& theme;
  float px(float design) const { return theme.px(design); }
  float width() const { return max.x - min.x; }
  float height() const { return max.y - min.y; }
};

// One way to look at the run. Views keep only what drawing needs (scroll, zoom, caches); what
// others have to know stands in the model. Drawing never waits and never reads a clock but
// model.clock_s.
class View {
 public:
  virtual ~View() = default;
  virtual const char* name() const = 0;     // the tab's label; --view takes it, ignoring case
  virtual const char* purpose() const = 0;  // one sentence, shown on hover
  // Adds to a request what this view draws beyond the figures. Window, metric, filter, the strip of
  // the time scale and the details of the selection are there already. `width` and `height` are
  // those of the latest canvas, in pixels.
  virtual void ask(const Model& model, float width, float height,
                   snapshot::ViewRequest& request) const {
    (void)model, (void)width, (void)height, (void)request;
  }
  virtual void draw(const Canvas& canvas, Model& model) = 0;
  virtual bool has_time_scale() const { return true; }  // below it
  virtual bool has_details() const { return true; }     // at its right
  // Whether the next frame differs although nothing new has arrived and nobody touched anything:
  // then frames follow at 25 per second.
  virtual bool animates(const Model& model) const {
    (void)model;
    return false;
  }
  // A key that the frame has no use for, or Up, Down, Enter and Esc before it has; as a GLFW code.
  // True if the view took it.
  virtual bool key(int glfw_key, Model& model) {
    (void)glfw_key, (void)model;
    return false;
  }
};

// All views in the order of their tabs and keys 1 to 9, then 0.
std::vector<std::unique_ptr<View>> make_views();

std::unique_ptr<View> make_map_view();
std::unique_ptr<View> make_timing_view();
std::unique_ptr<View> make_table_view();
std::unique_ptr<View> make_traces_view();
std::unique_ptr<View> make_sequence_view();
std::unique_ptr<View> make_trace_timing_view();
std::unique_ptr<View> make_call_tree_view();
std::unique_ptr<View> make_dependencies_view();
std::unique_ptr<View> make_markov_view();
std::unique_ptr<View> make_health_view();

}  // namespace compmond::ui
