// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/kit/theme.h"
#include "ui/model/model.h"

// Chips of the top bar that open a list.
namespace compmond::ui {

// What Wishes::list may say.
inline constexpr const char *kMetricList = "metric", *kHueList = "hue", *kNoList = "none";

void draw_metric_menu(const Theme& theme, Model& model, ImVec2 min, ImVec2 max, bool narrow);
void draw_hue_menu(const Theme& theme, Model& model, ImVec2 min, ImVec2 max, bool narrow);

// Opens and closes the filter's bar; filled while a filter is on.
void draw_filter_button(const Theme& theme, Model& model, ImVec2 min, ImVec2 max);

}  // namespace compmond::ui
