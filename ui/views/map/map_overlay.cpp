// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "snapshot/doubt.h"
#include "text/clean.h"
#include "text/match.h"
#include "text/numbers.h"
#include "ui/kit/draw.h"
#include "ui/model/run_time.h"
#include "ui/model/switching.h"
#include "ui/views/map/map_frame.h"
#include "ui/views/shared/definitions.h"
#include "ui/views/shared/empty.h"
#include "ui/views/shared/heat.h"
#include "ui/views/shared/ranked.h"

namespace compmond::ui {
namespace {

constexpr float kLegend = 200;  // design pixels

// Text on a patch of the background, so that it is read over boxes that were moved below it.
float note(const MapFrame& frame, float y, ImU32 colour, const std::string& text) {
  const Theme& theme = frame.canvas.theme;
  const ImVec2 at{frame.canvas.min.x + frame.canvas.px(20), y};
  const float room = frame.canvas.width() - frame.canvas.px(190);
  const std::string shown = ellipsized(theme.body, text, room);
  const ImVec2 size = text_size(theme.body, shown);
  frame.canvas.list->AddRectFilled({at.x - 3, at.y}, {at.x + size.x + 3, at.y + size.y},
                                   with_alpha(theme.background, 0.8f), 3);
  draw_text(frame.canvas.list, theme.body, at, colour, shown);
  return y + size.y + frame.canvas.px(1);
}

std::string figures_text(const MapFrame& frame) {
  const snapshot::Snapshot& snapshot = *frame.model.snapshot;
  const bool real = ranked_figure(snapshot) == snapshot::RankedFigure::kReal;
  const bool share = ranked_figure(snapshot) == snapshot::RankedFigure::kOfWall;
  std::string what = real    ? "real time"
                     : share ? "share of the window"
                             : std::string(ranked_name(snapshot));
  if (rests_on_samples(snapshot))
    what += fmt::format(", estimated from {}", samples_taken(frame));
  else if (real)
    what += " (net)";
  return fmt::format("{}, {}", what, window_text(frame.model, frame.model.figures_interval()));
}

// What the hatching of the shown boxes means.
std::string hatching_text(const MapFrame& frame) {
  size_t count = 0, last = 0;
  for (size_t n = 0; n < frame.shown.size(); ++n)
    if (frame.shown[n] && !frame.scene.boxes[n].empty() && !frame.doubts[n].empty()) {
      ++count;
      last = n;
    }
  if (count == 0) return {};
  if (count == 1)
    return fmt::format("hatched: {}: {}", text::clean(text::leaf(frame.component(last).name)),
                       frame.doubts[last]);
  return fmt::format("hatched: {} components are not to be trusted fully; hover tells why", count);
}

void draw_legend(const MapFrame& frame) {
  const Theme& theme = frame.canvas.theme;
  const Settings& settings = frame.model.settings;
  ImDrawList* list = frame.canvas.list;
  const float width = frame.canvas.px(kLegend), height = frame.canvas.px(9);
  const ImVec2 at{frame.canvas.min.x + frame.canvas.px(20),
                  frame.canvas.max.y - frame.canvas.px(50)};
  list->AddRectFilled({at.x - 8, at.y - 8},
                      {at.x + width + 8, frame.canvas.max.y - frame.canvas.px(6)}, theme.background,
                      5);
  const int steps = std::clamp(settings.steps, 1, 32);
  // The widths of the steps are those of the formula: more of the scale is cold than hot.
  double from = 0;
  for (int step = 0; step < steps; ++step) {
    const double to = 100 * std::sqrt(double(step + 1) / steps);
    list->AddRectFilled({at.x + width * float(from / 100), at.y},
                        {at.x + width * float(to / 100), at.y + height},
                        heat(theme, settings, (from + to) / 2));
    from = to;
  }
  list->AddRect(at, {at.x + width, at.y + height}, theme.bar_line);
  float y = at.y + height + frame.canvas.px(4);
  for (const std::string& text :
       {heat_text(*frame.model.snapshot), floor_text(*frame.model.snapshot)}) {
    draw_text(list, theme.small, {at.x, y}, theme.dim, ellipsized(theme.small, text, width));
    y += theme.small->FontSize;
  }
  const ImVec2 max{at.x + width, y};
  if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(at, max)) {
    const Definition& meaning = definition(Term::kHotness);
    tooltip(theme, meaning.title, fmt::format("by the metric {}", frame.model.snapshot->metric),
            meaning.text);
  }
}

// What the two parts of a box's lowest line are. Where the next key begins.
float draw_cpu_key(const MapFrame& frame, float x, float y) {
  const Theme& theme = frame.canvas.theme;
  if (frame.zoom() < kCpuShareZoom) return x;
  const std::string_view words[] = {"on CPU", "waiting"};
  const float gap = frame.canvas.px(8);
  const float wide =
      text_size(theme.small, words[0]).x + text_size(theme.small, words[1]).x + 2 * gap;
  if (x + wide > frame.canvas.max.x - frame.canvas.px(10)) return x;
  ImDrawList* list = frame.canvas.list;
  list->AddRectFilled({x - 4, y - 12}, {x + wide, y + 12}, theme.background, 4);
  float left = x;
  for (const std::string_view word : words) {
    const float right = left + text_size(theme.small, word).x + gap;
    draw_text(list, theme.small, {left + gap / 2, y - theme.small->FontSize}, theme.dim, word);
    const float top = y + frame.canvas.px(3);
    list->AddRectFilled({left, top}, {right, top + frame.canvas.px(2.5f)},
                        with_alpha(theme.strong, word == words[0] ? kOnCpuInk : kWaitingInk));
    left = right;
  }
  return x + wide + frame.canvas.px(18);
}

// The kinds of lines that are there besides the plain one.
void draw_line_keys(const MapFrame& frame) {
  const Theme& theme = frame.canvas.theme;
  bool undeclared = false, never = false, doubted = false, elsewhere = false;
  for (size_t e = 0; e < frame.graph.edges.size(); ++e) {
    undeclared |= kind_of(frame, e) == EdgeKind::kUndeclared;
    elsewhere |= taken_elsewhere(frame, e);
    if (!frame.any_declared || kind_of(frame, e) != EdgeKind::kNeverSeen) continue;
    never = true;
    doubted |= frame.calls[e] && !doubt_of_none(*frame.model.snapshot, *frame.calls[e]).empty();
  }
  float x = frame.canvas.min.x + frame.canvas.px(kLegend + 50);
  const float y = frame.canvas.max.y - frame.canvas.px(44);
  const auto line_key = [&](const std::string& text, ImU32 colour, ImU32 text_colour,
                            bool dashed = true) {
    const float wide = text_size(theme.small, text).x + frame.canvas.px(34);
    if (x + wide > frame.canvas.max.x - frame.canvas.px(10)) return;
    frame.canvas.list->AddRectFilled({x - 4, y - 10}, {x + wide, y + 10}, theme.background, 4);
    const float right = x + frame.canvas.px(24), thick = frame.canvas.px(1.5f);
    if (dashed)
      draw_dashed(frame.canvas.list, {x, y}, {right, y}, colour, thick, frame.canvas.px(4));
    else
      frame.canvas.list->AddLine({x, y}, {right, y}, colour, thick);
    draw_text(frame.canvas.list, theme.small,
              {x + frame.canvas.px(30), y - theme.small->FontSize / 2}, text_colour, text);
    x += wide + frame.canvas.px(18);
  };
  const bool sampled = rests_on_samples(*frame.model.snapshot);
  if (sampled) x = draw_cpu_key(frame, x, y);
  if (undeclared)
    line_key(sampled ? "seen, not in the spec" : "called, not in the spec", theme.text, theme.text);
  if (never)
    line_key(sampled   ? "in the spec, not seen in " + samples_taken(frame)
             : doubted ? "in the spec, not seen"
                       : "in the spec, no call",
             theme.dim, theme.dim);
  if (elsewhere)
    line_key(sampled ? "seen in another window" : "called in another window", quiet_line(theme),
             theme.dim, false);
}

}  // namespace

MapWish draw_map_overlay(const MapFrame& frame, size_t unplanned_edges) {
  MapWish wish;
  const Theme& theme = frame.canvas.theme;
  // The buttons first: what is submitted first gets the click.
  const float height = frame.canvas.px(24), top = frame.canvas.min.y + frame.canvas.px(14);
  float right = frame.canvas.max.x - frame.canvas.px(14);
  const auto chip = [&](const char* label, float width) {
    const ImVec2 min{right - frame.canvas.px(width), top}, max{right, top + height};
    right = min.x - frame.canvas.px(6);
    return button(theme, label, min, max, Look::kPlain);
  };
  wish.arrange = chip("arrange##map", 64);
  if (ImGui::IsItemHovered())
    tooltip(theme, "arrange (A)", "places all boxes anew; those moved by hand too");
  wish.fit = chip("fit##map", 36);
  if (ImGui::IsItemHovered()) tooltip(theme, "fit (F)", "shows all boxes");
  const std::string zoom = fmt::format("{:.0f} %", 100 * frame.zoom());
  const float zoom_left = right - frame.canvas.px(8) - text_size(theme.mono_small, zoom).x;
  frame.canvas.list->AddRectFilled({zoom_left, top}, {right, top + height},
                                   with_alpha(theme.background, 0.8f), 3);
  draw_text(frame.canvas.list, theme.mono_small,
            {zoom_left + frame.canvas.px(4), top + (height - theme.mono_small->FontSize) / 2},
            theme.dim, zoom);

  // Three lines at most, for which there is room: what is shown, what to know of it, what is not
  // shown.
  float y = note(frame, frame.canvas.min.y + frame.canvas.px(16), theme.dim, figures_text(frame));
  std::string quiet = no_calls_text(frame.model), doubts = metric_text(frame.model);
  if (const std::string hatched = hatching_text(frame); !hatched.empty())
    doubts += (doubts.empty() ? "" : " · ") + hatched;
  if (!doubts.empty())
    y = note(frame, y, theme.amber, quiet.empty() ? doubts : quiet + " " + doubts);
  else if (!quiet.empty())
    y = note(frame, y, theme.text, quiet);
  else if (const std::string off = unseen_by_wish_text(*frame.model.snapshot); !off.empty())
    y = note(frame, y, theme.dim, off);
  const auto hidden = size_t(std::count(frame.shown.begin(), frame.shown.end(), 0));
  if (hidden > 0) {
    const std::string label =
        fmt::format("{} of {} components hidden, show all##map", hidden, frame.shown.size());
    const float width = text_size(theme.body, std::string_view(label).substr(0, label.find('#'))).x;
    const ImVec2 min{frame.canvas.min.x + frame.canvas.px(20), y};
    wish.show_all = button(theme, label.c_str(), min, {min.x + width, y + theme.body->FontSize + 3},
                           Look::kLink);
  } else if (unplanned_edges > 0) {
    note(frame, y, theme.dim,
         text::counted(unplanned_edges, "connection") +
             " came after this arrangement; A arranges with them");
  }
  draw_legend(frame);
  draw_line_keys(frame);
  return wish;
}

}  // namespace compmond::ui
