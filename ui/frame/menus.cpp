// SPDX-License-Identifier: Apache-2.0
#include "ui/frame/menus.h"

#include <array>

#include "ui/draw.h"
#include "ui/heat.h"

namespace compmond::ui {
namespace {

constexpr std::array<const char*, 7> kHues = {
    "red", "green", "blue", "grey", "own colour", "perceptual", "colour-blind safe"};

void draw_arrow(ImDrawList* list, const Theme& theme, ImVec2 at) {
  const float r = theme.px(3.5f);
  list->AddTriangleFilled({at.x - r, at.y - r * 0.6f}, {at.x + r, at.y - r * 0.6f},
                          {at.x, at.y + r * 0.8f}, theme.dim);
}

// The chip itself; opens the popup of the same name below it. Whether that is open.
bool open_chip(const Theme& theme, const char* id, ImVec2 min, ImVec2 max, const char* title,
               const char* text) {
  ImGui::SetCursorScreenPos(min);
  if (ImGui::InvisibleButton(id, {max.x - min.x, max.y - min.y})) ImGui::OpenPopup(id);
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(min, max, hovered ? mix(theme.raised, theme.blue, 0.18f) : theme.raised,
                      theme.px(5));
  list->AddRect(min, max, theme.line, theme.px(5));
  draw_arrow(list, theme, {max.x - theme.px(12), (min.y + max.y) / 2});
  if (hovered && !ImGui::IsPopupOpen(id)) tooltip(theme, title, text);
  ImGui::SetNextWindowPos({max.x, max.y + theme.px(4)}, ImGuiCond_Always, {1, 0});
  return ImGui::BeginPopup(id);
}

}  // namespace

void draw_metric_menu(const Theme& theme, Model& model, ImVec2 min, ImVec2 max, bool narrow) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const bool open = open_chip(theme, "metric", min, max, "metric",
                              "What hotness means: how components are compared and coloured.");
  const float y = (min.y + max.y - theme.body->FontSize) / 2;
  float x = min.x + theme.px(10);
  if (!narrow) {
    draw_text(list, theme.body, {x, y}, theme.dim, "metric");
    x += text_size(theme.body, "metric").x + theme.px(8);
  }
  draw_text(list, theme.body, {x, y}, theme.text, model.settings.metric, max.x - theme.px(20) - x);
  if (!open) return;
  for (const auto& metric : model.hello.metrics) {
    if (ImGui::Selectable(metric.name.c_str(), metric.name == model.settings.metric))
      model.settings.metric = metric.name;
    ImGui::PushStyleColor(ImGuiCol_Text, theme.dim);
    ImGui::PushFont(theme.small);
    ImGui::TextUnformatted(metric.description.c_str());
    ImGui::PopFont();
    ImGui::PopStyleColor();
    ImGui::Spacing();
  }
  ImGui::EndPopup();
}

void draw_hue_menu(const Theme& theme, Model& model, ImVec2 min, ImVec2 max, bool narrow) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  Settings& settings = model.settings;
  const bool open =
      open_chip(theme, "hue", min, max, "hue", "The colours of hotness, and the theme (T).");
  const float side = theme.px(13), middle = (min.y + max.y) / 2;
  const auto swatch = [&](ImDrawList* on, const Settings& of, ImVec2 at) {
    on->AddRectFilled({at.x, at.y - side / 2}, {at.x + side, at.y + side / 2}, full_hue(theme, of),
                      theme.px(3));
  };
  swatch(list, settings, {min.x + theme.px(8), middle});
  if (!narrow)
    draw_text(list, theme.body, {min.x + theme.px(27), middle - theme.body->FontSize / 2},
              theme.text, "hue");
  if (!open) return;
  for (size_t i = 0; i < kHues.size(); ++i) {
    Settings shown = settings;
    shown.hue = Hue(i);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    // A strip of its steps, before its name.
    for (int step = 0; step < 6; ++step) {
      const ImVec2 cell{at.x + theme.px(9.f * float(step)), at.y + theme.px(2)};
      ImGui::GetWindowDrawList()->AddRectFilled(cell, {cell.x + theme.px(9), cell.y + side},
                                                heat(theme, shown, 20.0 * step));
    }
    ImGui::SetCursorScreenPos({at.x + theme.px(64), at.y});
    if (ImGui::Selectable(kHues[i], settings.hue == Hue(i), ImGuiSelectableFlags_DontClosePopups,
                          {theme.px(150), 0}))
      settings.hue = Hue(i);
    ImGui::SetCursorScreenPos({at.x, ImGui::GetCursorScreenPos().y});
  }
  if (settings.hue == Hue::kFree) {
    ImVec4 colour = ImGui::ColorConvertU32ToFloat4(from_rgb(settings.free_rgb));
    ImGui::SetNextItemWidth(theme.px(200));
    if (ImGui::ColorPicker3("##free", &colour.x,
                            ImGuiColorEditFlags_NoSidePreview | ImGuiColorEditFlags_NoLabel))
      settings.free_rgb = to_rgb(ImGui::ColorConvertFloat4ToU32(colour));
  }
  ImGui::Separator();
  ImGui::SetNextItemWidth(theme.px(120));
  ImGui::SliderInt("steps", &settings.steps, 2, 24);
  if (ImGui::MenuItem("light theme", "T", !settings.dark)) settings.dark = !settings.dark;
  ImGui::EndPopup();
}

}  // namespace compmond::ui
