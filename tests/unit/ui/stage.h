// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imgui.h>

#include <string>
#include <vector>

#include "ui/frame/app.h"
#include "ui/kit/theme.h"
#include "ui/model/model.h"

// A screen without a display: an ImGui context with fonts, an app, and what it drew.
namespace compmond::ui {

// A glyph on the screen.
struct Glyph {
  ImWchar code;
  ImVec2 min, max;  // where it was drawn
  ImVec2 clip_min, clip_max;
  const ImFont* font;
  ImVec2 pen;     // upper left corner of its line, where it begins
  float advance;  // to the next one
  ImU32 colour;
  const ImDrawList* list;
};

std::string utf8(ImWchar code);

class Stage {
 public:
  explicit Stage(float width, float height, bool dark = true);
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  Model model;
  Theme theme;
  App app;

  // One frame, `seconds` after the one before; then whatever ImGui needs to settle.
  void frame(double seconds = 0.04);
  void settle() {
    for (int i = 0; i < 4; ++i) frame();
  }
  // Draws, while the screen's clock stands still, until the map has its boxes: they are placed on a
  // thread of their own.
  void arrange();
  void move(float x, float y);
  void press(int button = 0);
  void release(int button = 0);
  void click(float x, float y);
  void wheel(float by);

  std::vector<Glyph> glyphs() const;
  // Whether a triangle that begins with this vertex may be half of a glyph.
  static bool is_glyph(const ImDrawVert& vertex);
  // All that was written, without blanks, in the order of drawing.
  std::string text() const;
  // Where a text was written first, without its blanks; its middle. Fails the test if nowhere.
  ImVec2 find(const std::string& what) const;
  bool shows(const std::string& what) const;

 private:
  ImGuiContext* context_;
  float width_, height_;
};

// Ten components as a busy file host has them, with a window of 5 s that ends 22 s after the start.
snapshot::View file_host(size_t components = 10, bool long_names = false);
// The same, known from samples alone: without calls, one component hardly met and one not at all,
// and with a connection of the spec that no sample met.
snapshot::View sampled_host();
// The same, with FileReader switched off 12.3 s after the start, an operation of DirReader with it,
// and what else was switched before.
snapshot::View switched_host();
// Single executions of it: nested ones on three threads, of which one still runs and some have
// ended otherwise than by a return, and a fold.
snapshot::ExecutionsView executions_of(const snapshot::View& view);

// Takes it in as an answer of a connected daemon.
void give(Stage& stage, snapshot::View view);
// And draws it.
void feed(Stage& stage, snapshot::View view = file_host());

}  // namespace compmond::ui
