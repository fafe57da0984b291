// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "snapshot/view.h"
#include "ui/kit/canvas.h"
#include "ui/model/model.h"

namespace compmond::ui {

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

}  // namespace compmond::ui
