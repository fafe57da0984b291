// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

#include "ui/kit/canvas.h"
#include "ui/model/model.h"

namespace compmond::ui {

// Whether anything is kept from counting.
bool filters(const Model& model);

// A line below the top bar that says which executions count and lets that be changed. It is there
// while it is edited and, whatever else is shown, as long as a filter is on.
class FilterBar {
 public:
  float wanted_height(const Model& model, const Theme& theme) const;  // 0: not there
  void draw(const Canvas& canvas, Model& model);

 private:
  struct Choice {
    std::string id, label;  // what the filter names, and for people
  };
  // A chip with the list of what all() returns, of which those in `chosen` count. `one`: what
  // stands before the name of a single one.
  template <class All>
  void draw_names(const Canvas& canvas, ImVec2 min, ImVec2 max, const char* what,
                  const std::string& one, All all, std::vector<std::string>& chosen);
  void draw_list(const Canvas& canvas, const char* what, const std::vector<Choice>& all,
                 std::vector<std::string>& chosen);
  // Its four chips, in a row.
  void draw_lists(const Canvas& canvas, ImVec2 min, ImVec2 max, Model& model);
  // The filter names threads by number.
  void draw_threads(const Canvas& canvas, ImVec2 min, ImVec2 max, Model& model);
  void draw_duration(const Canvas& canvas, ImVec2 min, ImVec2 max, Model& model);

  std::array<char, 128> search_{};  // in the open list
};

}  // namespace compmond::ui
