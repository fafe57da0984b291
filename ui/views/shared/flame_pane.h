// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "diagrams/flame.h"
#include "ui/kit/canvas.h"

// A flame graph on the screen, whatever its boxes are of. It is told its place in each frame, all
// of which it fills: its root is at the top, or where it goes upwards at the bottom.
namespace compmond::ui {

class FlamePane {
 public:
  // Which node is looked at, over the whole width: the root, or the last one that was zoomed to.
  uint32_t top(const diagrams::CallTree& tree) const;
  uint64_t top_key() const { return zooms_.empty() ? 0 : zooms_.back(); }  // 0: the root
  bool zoomed() const { return !zooms_.empty(); }
  // Looks at this one; once more: at what was looked at before.
  void zoom_to(const diagrams::CallTree& tree, uint32_t node);
  bool back();  // to what was looked at before; false where that was nothing
  void show_all() { zooms_.clear(), scroll_ = 0; }
  // Nodes that a new tree has not are not looked at any more.
  void follow(const diagrams::CallTree& tree);

  static float width_in(const Canvas& place);  // of diagrams::Flame, pixels
  // What the mouse is on; it scrolls, and goes back by its button for that. Points into `flame`.
  struct Pointed {
    const diagrams::FlameBox* box = nullptr;
    const diagrams::FlameFold* fold = nullptr;
    bool clicked = false;
  };
  Pointed mouse(const Canvas& place, const diagrams::Flame& flame, bool upwards);
  // Calls `draw_box` for those that are seen: corners and rounding in pixels.
  using DrawBox =
      std::function<void(const diagrams::FlameBox& box, ImVec2 min, ImVec2 max, float rounding)>;
  void draw(const Canvas& place, const diagrams::Flame& flame, bool upwards,
            const DrawBox& draw_box) const;

 private:
  float row_top(const Canvas& place, int row, bool upwards) const;

  std::vector<uint64_t> zooms_;  // keys of nodes; the last one is looked at
  float scroll_ = 0;             // pixels from the root
};

// The name of an operation or a function on its box, shortened or left out where there is no room.
void draw_flame_name(const Canvas& canvas, ImVec2 min, ImVec2 max, ImU32 fill,
                     const std::string& name);

}  // namespace compmond::ui
