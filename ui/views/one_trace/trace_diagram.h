// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "ui/views/one_trace/shown_trace.h"
#include "ui/views/one_trace/trace_bar.h"
#include "ui/views/shared/view.h"

namespace compmond::ui {

// A view of one trace: below the row that says which, what draw_trace() makes of it.
class TraceDiagram : public View {
 public:
  void ask(const Model& model, ImVec2, snapshot::ViewRequest& request) const override {
    shown_.ask(model, request);
  }
  void draw(const Canvas& canvas, Model& model) override;
  bool key(int glfw_key, Model& model) override;

 protected:
  explicit TraceDiagram(ViewId id) : id_(id) {}
  virtual void start_over(const Model& model) = 0;  // another trace is shown
  virtual void draw_trace(const Canvas& canvas, Model& model) = 0;
  virtual void show_all() = 0;  // F

  void pick(Model& model, std::optional<uint32_t> step);  // a click; none: beside everything

  ShownTrace shown_;
  bool hovered_ = false;            // in the latest frame: then a trace that follows stays
  std::optional<uint32_t> picked_;  // step

 private:
  const ViewId id_;
};

}  // namespace compmond::ui
