// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ui/model/model.h"
#include "ui/views/shared/switch.h"
#include "ui/views/shared/view.h"

// The parts of the frame around a view; each draws into the ImGui child made for it.
namespace compmond::ui {

// Whether the details of what is selected have room beside the view.
inline constexpr Switch kDetails{"frame/details", true};

// What the desktop calls the screen: the spec, and whether its run goes on.
std::string screen_title(const Model& model);
// Target, tabs, metric, hue, snapshot.
void draw_top_bar(const Canvas& canvas, Model& model, ViewKinds views, size_t current);
// Attached, refused, events, lost, overhead, history; live or past. Never leaves bad news out: what
// does not fit gives way from the harmless end.
void draw_status_bar(const Canvas& canvas, Model& model);
// Figures, latency, callers and callees, operations, newest executions of the selection.
void draw_details(const Canvas& canvas, Model& model);

// Over everything.
void draw_search(const Canvas& canvas, Model& model);
// Its field takes no more keys from now on.
void close_search(Model& model);
void draw_keys(const Canvas& canvas, bool& open);
// Whether it is still there: it goes after a few seconds.
bool draw_toast(const Canvas& canvas, Model& model);

}  // namespace compmond::ui
