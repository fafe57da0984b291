// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "ui/kit/canvas.h"

namespace compmond::ui {

// A row of buttons at the top of a view, from the left; what does not fit begins a new row.
class Controls {
 public:
  explicit Controls(const Canvas& canvas);
  // A choice that is on or off. Its label is its id; `title` and `text` show on hover.
  bool chip(const std::string& label, bool on, std::string_view title, std::string_view text);
  bool link(const std::string& label, std::string_view text);
  // Room for something else; its upper left corner.
  ImVec2 room(float width);
  void gap();            // between groups
  float height() const;  // of a button
  float bottom() const;  // where the rows end

 private:
  const Canvas& canvas_;
  float x_, y_;
};

}  // namespace compmond::ui
