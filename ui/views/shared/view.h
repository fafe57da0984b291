// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "protocol/view_request.h"
#include "ui/kit/canvas.h"
#include "ui/model/model.h"
#include "ui/model/view_id.h"

namespace compmond::ui {

// One way to look at the run. Views keep only what drawing needs (scroll, zoom, caches); what
// others have to know stands in the model. Drawing never waits and never reads a clock but
// model.clock_s.
class View {
 public:
  virtual ~View() = default;
  // Adds to a request what this view draws beyond the figures. Window, metric, filter, the strip of
  // the time scale and the details of the selection are there already. `size` is that
  // of the latest canvas, in pixels.
  virtual void ask(const Model& model, ImVec2 size, snapshot::ViewRequest& request) const {
    (void)model, (void)size, (void)request;
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

// What is known of a view before there is one.
struct ViewKind {
  ViewId id;
  char key;             // that shows it: a digit, or a small letter that nothing else means
  const char* purpose;  // one sentence, shown on hover
  std::unique_ptr<View> (*make)();
  bool needs_calls = false;  // it shows single executions, which samples do not tell

  const char* label() const { return to_text(id); }
};
using ViewKinds = std::span<const ViewKind>;  // in the order of their tabs

}  // namespace compmond::ui
