// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "ui/kit/canvas.h"
#include "ui/model/model.h"
#include "ui/views/shared/definitions.h"

// The sections of the details panel, drawn from top to bottom.
namespace compmond::ui {

// Where the panel has come to: each part draws at `y` and moves it on.
struct Panel {
  ImDrawList* list;
  const Theme& theme;
  float left, right, y;

  float px(float design) const { return theme.px(design); }
  float width() const { return right - left; }
  bool hovers(float from, float to, float top, float height) const;

  // Hovering tells `more` and what the term means.
  void figure(std::string_view label, std::string_view value, Term term, ImU32 ink = 0,
              std::string_view more = {});
  void heading(std::string_view title, std::string_view at_right);
  void warning(std::string_view text);  // amber, hatched
  void note(std::string_view text);     // dim, wrapped
  // A line of a list that can be clicked, between these; whether it was. Does not move on.
  bool line(const char* id, float from, float to, float height, bool selected) const;
};

void draw_objective(Panel& panel, const snapshot::Component& component);
// Of calls that were not all seen.
void draw_calls(Panel& panel, const snapshot::Figures& figures);
// Of single executions in slices of the time.
void draw_sliced(Panel& panel, const snapshot::Figures& figures);
void draw_histogram(Panel& panel, const Model& model, const snapshot::Component& component);
void draw_neighbours(Panel& panel, Model& model, const snapshot::Component& component);
void draw_operations(Panel& panel, Model& model, const snapshot::Component& component);
void draw_violations(Panel& panel, Model& model, const snapshot::Component& component);
void draw_recent(Panel& panel, Model& model, const snapshot::Component& component);
// What of it somebody switched off, which is no fault, and the way back.
void draw_off(Panel& panel, Model& model, const snapshot::Component& component);
// Links that switch the marked operation, else the component, where this client may.
void draw_switch(Panel& panel, Model& model, const snapshot::Component& component);
void draw_actions(Panel& panel, Model& model, const snapshot::Component& component);

}  // namespace compmond::ui
