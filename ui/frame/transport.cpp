// SPDX-License-Identifier: Apache-2.0
#include "ui/frame/transport.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ui/draw.h"
#include "ui/format.h"

namespace compmond::ui {
namespace {

constexpr std::array kSpeeds = {0.01, 0.1, 1.0, 10.0, 100.0, 0.0};

std::string speed_text(double speed) {
  return speed > 0 ? fmt::format("{:g}×", speed) : std::string("max");
}

void wish(Model& model, const char* action, std::optional<double> value = std::nullopt) {
  model.wishes.control = snapshot::ControlRequest{0, action, value};
}

// Where the next part goes, from left to right.
struct Row {
  const Canvas& canvas;
  float x;

  std::pair<ImVec2, ImVec2> place(float width) {
    const ImVec2 min{x, canvas.min.y + canvas.px(3)}, max{x + width, canvas.max.y - canvas.px(3)};
    x = max.x + canvas.px(4);
    return {min, max};
  }
};

void draw_play(Row& row, Model& model) {
  const Theme& theme = row.canvas.theme;
  const bool playing = model.run.live && !model.run.paused;
  const auto [min, max] = row.place(theme.px(28));
  if (button(theme, "##play", min, max, Look::kPlain)) wish(model, playing ? "pause" : "play");
  if (ImGui::IsItemHovered())
    tooltip(theme, playing ? "pause the replay" : "play",
            playing           ? "The log stands still; what is shown can be looked at."
            : !model.run.live ? "Once more from the beginning."
                              : "The log goes on.");
  const ImVec2 mid{(min.x + max.x) / 2, (min.y + max.y) / 2};
  const float r = theme.px(4);
  if (playing) {
    for (const float at : {-r, r * 0.25f})
      row.canvas.list->AddRectFilled({mid.x + at, mid.y - r}, {mid.x + at + r * 0.75f, mid.y + r},
                                     theme.text);
  } else {
    row.canvas.list->AddTriangleFilled({mid.x - r * 0.8f, mid.y - r}, {mid.x + r, mid.y},
                                       {mid.x - r * 0.8f, mid.y + r}, theme.text);
  }
}

void draw_step(Row& row, Model& model) {
  const Theme& theme = row.canvas.theme;
  const auto [min, max] = row.place(text_size(theme.body, "step").x + theme.px(14));
  if (button(theme, "step", min, max, Look::kPlain)) wish(model, "step");
  if (ImGui::IsItemHovered()) tooltip(theme, "step", "One event more, then it stands still.");
}

void draw_speed(Row& row, Model& model) {
  const Theme& theme = row.canvas.theme;
  const std::string text = speed_text(model.run.speed);
  const auto [min, max] = row.place(theme.px(46));
  if (button(theme, (text + "##speed").c_str(), min, max, Look::kPlain)) ImGui::OpenPopup("speed");
  if (ImGui::IsItemHovered() && !ImGui::IsPopupOpen("speed"))
    tooltip(theme, "speed", "Times the original; max: as fast as it goes.");
  ImGui::SetNextWindowPos({min.x, min.y - theme.px(4)}, ImGuiCond_Always, {0, 1});
  if (!ImGui::BeginPopup("speed")) return;
  for (const double speed : kSpeeds)
    if (ImGui::Selectable(speed_text(speed).c_str(), speed == model.run.speed))
      wish(model, "play", speed);
  ImGui::EndPopup();
}

// The whole log as a line; a click goes to that place.
void draw_place(Row& row, Model& model) {
  const Theme& theme = row.canvas.theme;
  const auto [min, max] = row.place(theme.px(140));
  const auto whole =
      double(std::max(model.run.end_ns, model.run.start_ns + 1) - model.run.start_ns);
  const auto share_of = [&](uint64_t ns) {
    return float(std::clamp(double(ns - model.run.start_ns) / whole, 0.0, 1.0));
  };
  ImGui::SetCursorScreenPos(min);
  const bool clicked = ImGui::InvisibleButton("place", {max.x - min.x, max.y - min.y});
  const bool hovered = ImGui::IsItemHovered();
  const float pointed = std::clamp((ImGui::GetMousePos().x - min.x) / (max.x - min.x), 0.f, 1.f);
  const double pointed_ns = whole * double(pointed);
  if (clicked) wish(model, "seek", pointed_ns / 1e9);
  const float y = (min.y + max.y) / 2, half = theme.px(hovered ? 3 : 2);
  const float x = min.x + (max.x - min.x) * share_of(model.now_ns());
  row.canvas.list->AddRectFilled({min.x, y - half}, {max.x, y + half}, theme.raised, half);
  row.canvas.list->AddRectFilled({min.x, y - half}, {x, y + half}, theme.blue, half);
  row.canvas.list->AddCircleFilled({x, y}, theme.px(5), theme.blue);
  if (hovered)
    tooltip(theme,
            fmt::format("{} of {}", duration_text(double(model.now_ns() - model.run.start_ns)),
                        duration_text(whole)),
            fmt::format("Click to go to {}. Back means all over again up to there.",
                        duration_text(pointed_ns)));
}

}  // namespace

float draw_transport(const Canvas& canvas, Model& model) {
  if (!model.run.replay || !model.hello.control) return canvas.min.x;
  Row row{canvas, canvas.min.x + canvas.px(12)};
  draw_play(row, model);
  draw_step(row, model);
  draw_speed(row, model);
  row.x += canvas.px(6);
  if (canvas.width() >= canvas.px(900)) draw_place(row, model);
  return row.x;
}

}  // namespace compmond::ui
