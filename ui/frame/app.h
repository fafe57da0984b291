// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "protocol/view_request.h"
#include "ui/frame/filter_bar.h"
#include "ui/frame/frame.h"
#include "ui/frame/time_scale/time_scale.h"
#include "ui/kit/theme.h"
#include "ui/model/model.h"

namespace compmond::ui {

// The whole screen without a display: lays out the frame around the current view, takes keys,
// says what to ask for. Lives within one ImGui context.
class App {
 public:
  App(Model& model, Theme& theme, ViewKinds kinds);

  // Draws one frame, between ImGui::NewFrame and ImGui::Render. Its draw lists have grounds
  // (draw.h).
  void frame(ImVec2 size);
  // Keys: `key` takes GLFW's codes of those that make no character, `character` what the others
  // make on this keyboard. What is typed into a field does nothing else.
  void key(int glfw_key, bool control, bool shift);
  void character(unsigned code_point);

  // For what is shown now.
  snapshot::ViewRequest request() const;
  // Whether the next frame would differ from the last one although nothing arrived.
  bool animates() const;
  void show_view(ViewId id);
  // By its label, ignoring case; false where there is no such view.
  bool show_view(std::string_view label);
  const View& view() const { return *views_[current_]; }
  const ViewKind& kind() const { return kinds_[current_]; }  // of that view

 private:
  struct Areas;
  // Whether the view has nothing to show in this run, and says so.
  bool lacks_calls() const;
  void show(size_t view);
  Areas areas(ImVec2 size) const;
  void retheme();
  bool search_key(int glfw_key);  // whether the search took it
  bool list_key(int glfw_key);    // whether an open list took it
  void hold_tooltips();           // a key was used: they come back with the mouse
  bool back();                    // Esc: the last thing opened goes
  void select_next(int step);
  bool details_shown(float width) const;

  Model& model_;
  Theme& theme_;
  ViewKinds kinds_;
  std::vector<std::unique_ptr<View>> views_;  // of kinds_, in its order
  size_t current_ = 0, before_ = 0;           // before_: where H came from
  FilterBar filter_bar_;
  TimeScale time_scale_;
  bool keys_open_ = false, toast_shown_ = false, moving_ = false;
  double last_s_ = 0;
  std::optional<ImVec2> mouse_at_key_;  // where it was when a key was used last
  ImVec2 size_{1280, 800}, view_size_{800, 500};
};

}  // namespace compmond::ui
