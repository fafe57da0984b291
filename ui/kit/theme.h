// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imgui.h>

#include "base/result.h"
#include "geometry/color.h"

// Colours by what they mean, and fonts by what they are for. Amber says "do not trust this fully",
// green "live, running", blue "can be touched, is selected"; hotness has colours of its own (see
// heat.h). Text colours have a contrast of at least 4.5:1 on background and panel.
namespace compmond::ui {

struct Theme {
  bool dark = true;
  float scale = 1;  // pixels per design pixel; every length in views is multiplied by it

  ImU32 background, panel, raised, line;  // the view, bars and panels, buttons and chips, borders
  ImU32 strong, text, dim, faint;         // names, text, labels, guides (faint is not for text)
  ImU32 blue, blue_fill, blue_text;       // outline, filled button, link; on_blue on top of a fill
  ImU32 on_blue;
  ImU32 amber, green, red;
  ImU32 bar, bar_line;  // a neutral box or bar: hotness 0, waiting for a nested execution

  ImFont* body = nullptr;   // 13 px Inter
  ImFont* bold = nullptr;   // 13 px Inter semibold
  ImFont* title = nullptr;  // 16 px Inter semibold
  ImFont* small = nullptr;  // 11 px Inter
  ImFont* mono = nullptr;   // 13 px JetBrains Mono: numbers, symbols
  ImFont* mono_small = nullptr;

  float px(float design) const { return design * scale; }
};

// Colours of the dark or the light theme; fonts stay null.
Theme make_theme(bool dark, float scale);
// Puts the fonts into the atlas of the current ImGui context and into `theme`, and sets ImGui's
// style accordingly. Exit::kUnavailable when a font package is missing.
Result<void> load_fonts(Theme& theme);
void apply_style(const Theme& theme);

// 0xRRGGBB, as settings hold colours, to ImGui's order and back.
ImU32 from_rgb(uint32_t rgb, float alpha = 1);
uint32_t to_rgb(ImU32 colour);
// The same for geometry/color.h, which computes with them.
ImU32 from_rgb(geometry::Rgb rgb);
geometry::Rgb rgb_of(ImU32 colour);
ImU32 with_alpha(ImU32 colour, float alpha);    // alpha replaced
ImU32 mix(ImU32 from, ImU32 to, float amount);  // 0: from, 1: to; opaque
double contrast(ImU32 one, ImU32 other);        // WCAG 2: 1 to 21
ImU32 text_on(const Theme& theme, ImU32 fill);  // white or near black, with 4.5:1 (readable_on())

}  // namespace compmond::ui
