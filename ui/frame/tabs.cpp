// SPDX-License-Identifier: Apache-2.0
#include "ui/frame/tabs.h"

#include <fmt/format.h>

#include <algorithm>

#include "ui/kit/chip.h"
#include "ui/kit/draw.h"

namespace compmond::ui {
namespace {

constexpr float kPad = 20, kLeastPad = 10;  // design pixels beside the names of tabs
constexpr float kForNames = 170;            // room that spec and target get before that shrinks
constexpr float kNamesShare = 0.3f;         // of the room, before the last tabs go into the menu
constexpr const char* kMore = "more";

struct Row {
  std::vector<size_t> shown;
  float width = 0, pad = 0;
};

float name_width(const Theme& theme, const char* name) { return text_size(theme.bold, name).x; }

float labels_width(const Theme& theme, ViewKinds views) {
  float sum = 0;
  for (const auto& view : views) sum += name_width(theme, view.label());
  return sum;
}

// As many as fit, in their order; the current one among them.
Row fitting(const Theme& theme, ViewKinds views, size_t current, float room) {
  Row row;
  const float names = labels_width(theme, views);
  const auto count = float(views.size());
  const float kept = std::min(theme.px(kForNames), room * kNamesShare);
  row.pad =
      std::clamp((room - theme.px(kForNames) - names) / count, theme.px(kLeastPad), theme.px(kPad));
  if (names + count * row.pad <= room - kept) {
    for (size_t i = 0; i < views.size(); ++i) row.shown.push_back(i);
    row.width = names + count * row.pad;
    return row;
  }
  const float more = name_width(theme, kMore) + row.pad + theme.px(12);
  const auto width = [&](size_t i) { return name_width(theme, views[i].label()) + row.pad; };
  float left = room - kept - more - width(current);
  row.width = more + width(current);
  bool full = false;
  for (size_t i = 0; i < views.size(); ++i) {
    full |= i != current && width(i) > left;
    if (i != current && full) continue;
    row.shown.push_back(i);
    if (i == current) continue;
    row.width += width(i);
    left -= width(i);
  }
  return row;
}

void draw_more(const Theme& theme, Model& model, ViewKinds views, const Row& row, ImVec2 min,
               ImVec2 max) {
  if (button(theme, kMore, min, {max.x - theme.px(12), max.y}, Look::kQuiet))
    ImGui::OpenPopup("tabs");
  const ImVec2 at{max.x - theme.px(14), (min.y + max.y) / 2};
  const float r = theme.px(3.5f);
  ImGui::GetWindowDrawList()->AddTriangleFilled(
      {at.x - r, at.y - r * 0.6f}, {at.x + r, at.y - r * 0.6f}, {at.x, at.y + r * 0.8f}, theme.dim);
  ImGui::SetNextWindowPos({max.x, max.y + theme.px(4)}, ImGuiCond_Always, {1, 0});
  if (!begin_list("tabs")) return;
  for (size_t i = 0; i < views.size(); ++i) {
    if (std::ranges::find(row.shown, i) != row.shown.end()) continue;
    const std::string line = fmt::format("{}  {}", views[i].key, views[i].label());
    if (ImGui::Selectable(line.c_str())) model.wishes.view = views[i].id;
    if (ImGui::IsItemHovered()) tooltip(theme, views[i].label(), views[i].purpose);
  }
  ImGui::EndPopup();
}

}  // namespace

float tabs_and_names_width(const Theme& theme, ViewKinds views) {
  return labels_width(theme, views) + theme.px(float(views.size()) * kLeastPad + kForNames);
}

float draw_tabs(const Canvas& canvas, Model& model, ViewKinds views, size_t current,
                const TabRoom& room) {
  const Theme& theme = canvas.theme;
  const Row row = fitting(theme, views, current, room.right - room.left);
  // In the middle of the screen where there is room, else as far right as they may go.
  const float middle = (canvas.min.x + canvas.max.x - row.width) / 2;
  float x = std::max(room.left, std::min(middle, room.right - row.width));
  const float begin = x;
  for (const size_t i : row.shown) {
    const char* name = views[i].label();
    const float width = name_width(theme, name) + row.pad;
    if (button(theme, name, {x, room.top}, {x + width, room.bottom},
               i == current ? Look::kFilled : Look::kQuiet))
      model.wishes.view = views[i].id;
    if (ImGui::IsItemHovered())
      tooltip(theme, fmt::format("{} ({})", name, views[i].key), views[i].purpose);
    x += width;
  }
  if (row.shown.size() < views.size())
    draw_more(theme, model, views, row, {x, room.top}, {begin + row.width, room.bottom});
  return begin;
}

}  // namespace compmond::ui
