// SPDX-License-Identifier: Apache-2.0
#include "ui/frame/transport.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "text/numbers.h"
#include "ui/kit/chip.h"
#include "ui/kit/draw.h"
#include "ui/model/run_time.h"

namespace compmond::ui {
namespace {

using snapshot::Action;

constexpr std::array kSpeeds = {0.01, 0.1, 1.0, 10.0, 100.0, 0.0};

std::string speed_text(double speed) {
  return speed > 0 ? fmt::format("{:g}×", speed) : std::string("max");
}

void wish(Model& model, Action action, std::optional<double> value = std::nullopt) {
  model.wishes.control = snapshot::ControlRequest{0, action, value};
}

double seconds(uint64_t ns) { return double(ns) / 1e9; }

// The next speed above or below; the fastest is 0, as fast as it goes.
double next_speed(double speed, bool faster) {
  const auto order = [](double one) { return one > 0 ? one : 1e300; };
  const auto beyond = [&](double one) { return order(one) > order(speed); };
  const auto above = std::find_if(kSpeeds.begin(), kSpeeds.end(), beyond);
  if (faster) return above == kSpeeds.end() ? kSpeeds.back() : *above;
  const auto below = std::find_if(kSpeeds.rbegin(), kSpeeds.rend(),
                                  [&](double one) { return order(one) < order(speed); });
  return below == kSpeeds.rend() ? kSpeeds.front() : *below;
}

bool controlled(const Model& model) {
  return model.run.replay && model.hello.control && !model.frozen();
}

void play_or_pause(Model& model) {
  wish(model, model.run.live && !model.run.paused ? Action::kPause : Action::kPlay);
}

// By a share of the whole log; back means all over again up to there.
void seek_by(Model& model, double share) {
  const double whole = seconds(std::max(model.run.end_ns, model.run.start_ns) - model.run.start_ns);
  const double now = since_start(model, model.now_ns()) / 1e9;
  wish(model, Action::kSeek, std::clamp(now + share * whole, 0.0, whole));
}

// Where the next part goes, from left to right.
struct Buttons {
  const Canvas& canvas;
  float x;

  std::pair<ImVec2, ImVec2> place(float width) {
    const ImVec2 min{x, canvas.min.y + canvas.px(3)}, max{x + width, canvas.max.y - canvas.px(3)};
    x = max.x + canvas.px(4);
    return {min, max};
  }
};

void draw_play(Buttons& row, Model& model) {
  const Theme& theme = row.canvas.theme;
  const bool playing = model.run.live && !model.run.paused;
  const auto [min, max] = row.place(theme.px(28));
  if (button(theme, "##play", min, max, Look::kPlain)) play_or_pause(model);
  if (ImGui::IsItemHovered())
    tooltip(theme, playing ? "pause the replay (K)" : "play (K)",
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

void draw_step(Buttons& row, Model& model) {
  const Theme& theme = row.canvas.theme;
  const auto [min, max] = row.place(text_size(theme.body, "step").x + theme.px(14));
  if (button(theme, "step", min, max, Look::kPlain)) wish(model, Action::kStep);
  if (ImGui::IsItemHovered()) tooltip(theme, "step (.)", "One event more, then it stands still.");
}

void draw_speed(Buttons& row, Model& model) {
  const Theme& theme = row.canvas.theme;
  const std::string text = speed_text(model.run.speed);
  const auto [min, max] = row.place(theme.px(46));
  if (button(theme, (text + "##speed").c_str(), min, max, Look::kPlain)) ImGui::OpenPopup("speed");
  if (ImGui::IsItemHovered() && !ImGui::IsPopupOpen("speed"))
    tooltip(theme, "speed (< >)", "Times the original; max: as fast as it goes.");
  ImGui::SetNextWindowPos({min.x, min.y - theme.px(4)}, ImGuiCond_Always, {0, 1});
  if (!begin_list("speed")) return;
  for (const double speed : kSpeeds)
    if (ImGui::Selectable(speed_text(speed).c_str(), speed == model.run.speed))
      wish(model, Action::kPlay, speed);
  ImGui::EndPopup();
}

// The whole log as a line; a click goes to that place.
void draw_place(Buttons& row, Model& model) {
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
  if (clicked) wish(model, Action::kSeek, pointed_ns / 1e9);
  const float y = (min.y + max.y) / 2, half = theme.px(hovered ? 3 : 2);
  const float x = min.x + (max.x - min.x) * share_of(model.now_ns());
  row.canvas.list->AddRectFilled({min.x, y - half}, {max.x, y + half}, theme.raised, half);
  row.canvas.list->AddRectFilled({min.x, y - half}, {x, y + half}, theme.blue, half);
  row.canvas.list->AddCircleFilled({x, y}, theme.px(5), theme.blue);
  if (hovered)
    tooltip(
        theme,
        fmt::format("{} of {}", text::duration(std::min(whole, since_start(model, model.now_ns()))),
                    text::duration(whole)),
        fmt::format("Click to go to {}. Back means all over again up to there.",
                    text::duration(pointed_ns)),
        "Page up, page down: a tenth of it; home: the beginning.");
}

}  // namespace

float draw_transport(const Canvas& canvas, Model& model) {
  if (!controlled(model)) return canvas.min.x;
  Buttons row{canvas, canvas.min.x + canvas.px(12)};
  draw_play(row, model);
  draw_step(row, model);
  draw_speed(row, model);
  row.x += canvas.px(6);
  if (canvas.width() >= canvas.px(900)) draw_place(row, model);
  return row.x;
}

bool transport_key(int glfw_key, Model& model) {
  if (!controlled(model)) return false;
  switch (glfw_key) {
    case GLFW_KEY_PAGE_UP:
      seek_by(model, -0.1);
      return true;
    case GLFW_KEY_PAGE_DOWN:
      seek_by(model, 0.1);
      return true;
    case GLFW_KEY_HOME:
      wish(model, Action::kSeek, 0.0);
      return true;
    default:
      return false;
  }
}

bool transport_character(unsigned code_point, Model& model) {
  if (!controlled(model)) return false;
  switch (code_point) {
    case 'k':
    case 'K':
      play_or_pause(model);
      return true;
    case '.':
      wish(model, Action::kStep);
      return true;
    case '<':
    case '>':
      wish(model, Action::kPlay, next_speed(model.run.speed, code_point == '>'));
      return true;
    default:
      return false;
  }
}

}  // namespace compmond::ui
