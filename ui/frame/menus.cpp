// SPDX-License-Identifier: Apache-2.0
#include "ui/frame/menus.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "ui/frame/filter_bar.h"
#include "ui/kit/chip.h"
#include "ui/kit/draw.h"
#include "ui/views/shared/heat.h"

namespace compmond::ui {
namespace {

constexpr std::array<const char*, 8> kHues = {"red",
                                              "green",
                                              "blue",
                                              "grey",
                                              "own colour",
                                              "perceptual",
                                              "colour-blind safe",
                                              "component colours"};

// What 100 is, and below what nothing is hot.
void draw_heat_choice(snapshot::HeatWish& heat) {
  constexpr std::pair<HeatScale, const char*> kScales[] = {
      {HeatScale::kWindow, "100 is the most in the window"},
      {HeatScale::kRun, "100 is the most of the run"},
      {HeatScale::kWall, "100 is a whole CPU"}};
  ImGui::Separator();
  for (const auto& [scale, words] : kScales)
    if (ImGui::MenuItem(words, nullptr, heat.scale == scale)) heat.scale = scale;
  ImGui::Separator();
  for (const double floor : {0.0, 0.1, 1.0, 5.0}) {
    const std::string words = floor > 0 ? fmt::format("cold below {:g} % of a CPU", floor)
                                        : std::string("hot however little");
    if (ImGui::MenuItem(words.c_str(), nullptr, heat.floor_pct == floor)) heat.floor_pct = floor;
  }
}

}  // namespace

void draw_metric_menu(const Theme& theme, Model& model, ImVec2 min, ImVec2 max, bool narrow) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const bool open =
      open_chip(theme, {kMetricList, min, max, "metric (W)",
                        "What hotness means: how components are compared and coloured.", false,
                        true, model.wishes.list == kMetricList});
  const float y = (min.y + max.y - theme.body->FontSize) / 2;
  float x = min.x + theme.px(10);
  if (!narrow) {
    draw_text(list, theme.body, {x, y}, theme.dim, "metric");
    x += text_size(theme.body, "metric").x + theme.px(8);
  }
  draw_text(list, theme.body, {x, y}, theme.text, model.settings.metric, max.x - theme.px(20) - x);
  if (!open) return;
  const bool sampled = model.snapshot && rests_on_samples(*model.snapshot);
  for (const auto& metric : model.hello.metrics) {
    const bool missing = sampled && metric.needs_calls;
    ImGui::PushStyleColor(ImGuiCol_Text, missing ? theme.dim : theme.text);
    if (ImGui::Selectable(metric.name.c_str(), metric.name == model.settings.metric))
      model.settings.metric = metric.name;
    ImGui::PopStyleColor();
    ImGui::PushStyleColor(ImGuiCol_Text, missing ? theme.amber : theme.dim);
    ImGui::PushFont(theme.small);
    const std::string words =
        missing ? fmt::format("needs calls, which {}", what_calls_lack(*model.snapshot))
                : metric.description;
    ImGui::TextUnformatted(words.c_str());
    ImGui::PopFont();
    ImGui::PopStyleColor();
    ImGui::Spacing();
  }
  draw_heat_choice(model.settings.heat);
  ImGui::EndPopup();
}

void draw_hue_menu(const Theme& theme, Model& model, ImVec2 min, ImVec2 max, bool narrow) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  Settings& settings = model.settings;
  const bool open =
      open_chip(theme, {kHueList, min, max, "hue (U)", "The colours of hotness, and the theme (T).",
                        false, true, model.wishes.list == kHueList});
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

void draw_filter_button(const Theme& theme, Model& model, ImVec2 min, ImVec2 max) {
  const bool on = filters(model);
  if (button(theme, "##filter", min, max, on ? Look::kFilled : Look::kPlain))
    model.filter_open = !model.filter_open;
  if (ImGui::IsItemHovered())
    tooltip(theme, "filter (I)", "Which components, operations, durations and threads count.",
            "X: all count again.");
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImU32 ink = on ? theme.on_blue : theme.text;
  const ImVec2 mid{(min.x + max.x) / 2, (min.y + max.y) / 2};
  const float wide = theme.px(6), stem = theme.px(1.6f);
  list->AddTriangleFilled({mid.x - wide, mid.y - wide * 0.8f}, {mid.x + wide, mid.y - wide * 0.8f},
                          {mid.x, mid.y + wide * 0.4f}, ink);
  list->AddRectFilled({mid.x - stem, mid.y - stem}, {mid.x + stem, mid.y + wide}, ink);
}

}  // namespace compmond::ui
