// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imgui.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "geometry/shapes.h"
#include "ui/kit/theme.h"

// Small things that every view draws. Positions and lengths in pixels.
namespace compmond::ui {

ImVec2 text_size(ImFont* font, std::string_view text);
// `text` at `at`; cut in the middle with "…" where it is wider than `width` (0: no limit). Whether
// it was cut: then hovering should show the whole.
bool draw_text(ImDrawList* list, ImFont* font, ImVec2 at, ImU32 colour, std::string_view text,
               float width = 0, std::span<const std::string> others = {});
// Ends at `right`.
void draw_text_right(ImDrawList* list, ImFont* font, ImVec2 right, ImU32 colour,
                     std::string_view text);
void draw_text_centred(ImDrawList* list, ImFont* font, ImVec2 centre, ImU32 colour,
                       std::string_view text);
// Reading upwards, at most `length` long; `at` is where it begins, at its left.
void draw_text_up(ImDrawList* list, ImFont* font, ImVec2 at, ImU32 colour, std::string_view text,
                  float length);
// Both ends of a name tell it apart, so the middle gives way. With `others` it is cut so that what
// is left is of none of them, where that can be: at another place, or down to where they differ.
std::string ellipsized(ImFont* font, std::string_view text, float width,
                       std::span<const std::string> others = {});

// In lines of that width, broken at blanks alone: no number is broken at its commas.
std::string wrapped(ImFont* font, std::string_view text, float width);
// So drawn; its height.
float draw_wrapped(ImDrawList* list, ImFont* font, ImVec2 at, ImU32 colour, std::string_view text,
                   float width);

// One opaque colour over whatever was drawn there before, in whole pixels. A command of its own
// that a display clears an area for, at a fraction of what painting a rectangle takes in software.
void draw_ground(ImDrawList* list, ImVec2 min, ImVec2 max, ImU32 colour);
// The same with round corners.
void draw_ground(ImDrawList* list, ImVec2 min, ImVec2 max, ImU32 colour, float rounding);
// Its colour, where a command is such a ground: its area is the command's ClipRect. For displays.
std::optional<ImU32> ground_of(const ImDrawCmd& command);

// Slanted lines: events were lost here, or the figure is uncertain.
void draw_hatch(ImDrawList* list, ImVec2 min, ImVec2 max, ImU32 colour, float gap);
void draw_head(ImDrawList* list, const geometry::ArrowHead& corners, ImU32 colour);
void draw_dashed(ImDrawList* list, ImVec2 from, ImVec2 to, ImU32 colour, float thickness,
                 float dash);

// A button drawn by the theme; true when clicked. Its id is `label`.
enum class Look { kPlain, kFilled, kQuiet, kLink };
bool button(const Theme& theme, const char* label, ImVec2 min, ImVec2 max, Look look);

// A tooltip beside the mouse, wrapped: a title, what it means, and a definition. Empty parts are
// left out. Call while the thing is hovered.
void tooltip(const Theme& theme, std::string_view title, std::string_view text,
             std::string_view definition = {});
// Whether there are any: not while keys are used, which the mouse that lies there has no part in.
void show_tooltips(bool shown);

// A big calm sentence in the middle and what to do below it.
void draw_empty(ImDrawList* list, const Theme& theme, ImVec2 min, ImVec2 max,
                std::string_view sentence, std::string_view advice);

}  // namespace compmond::ui
