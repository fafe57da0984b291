// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ui/views/map/map_frame.h"

// What stands in a box of the map, at each zoom, and its colours.
namespace compmond::ui {

// How much of a box can be read at a zoom.
enum class BoxDetail { kColour, kName, kBrief, kFull, kMore };
BoxDetail box_detail(float zoom);

struct BoxPaint {
  ImU32 fill, strong, weak;  // names and figures, captions
  float share;               // of the hue, 0 to 1
};
BoxPaint box_paint(const MapFrame& frame, size_t node);

// What stands where the time would.
std::string box_time_text(const MapFrame& frame, size_t node);
// What a box that shows no more than its colour has room for of its name, another than all others;
// empty: too little to tell anything.
std::string name_alone(const MapFrame& frame, size_t node);
// Name and figures between these corners; `doubted`: they are not to be trusted fully.
void draw_box_words(const MapFrame& frame, size_t node, ImVec2 min, ImVec2 max,
                    const BoxPaint& paint, BoxDetail detail, bool doubted);

}  // namespace compmond::ui
