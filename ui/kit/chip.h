// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imgui.h>

#include <string_view>

#include "ui/kit/theme.h"

namespace compmond::ui {

// A button of the bars that opens a list of its own, the popup `id`, below it.
struct Chip {
  const char* id;
  ImVec2 min, max;
  std::string_view title, meaning;  // of its tooltip
  bool marked = false;              // says something else than usual
  bool right_aligned = false;       // the list, else left
  bool asked = false;               // by a key: it opens
};
// Draws all but its text. Whether the list is open: then what follows is in it, up to EndPopup.
bool open_chip(const Theme& theme, const Chip& chip);
// ImGui::BeginPopup() of a list that Esc closes, and nothing else with it.
bool begin_list(const char* id);
// Whether any list is open; also between frames.
bool list_is_open();
void close_lists();

}  // namespace compmond::ui
