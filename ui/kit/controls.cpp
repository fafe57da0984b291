// SPDX-License-Identifier: Apache-2.0
#include "ui/kit/controls.h"

#include "ui/kit/draw.h"

namespace compmond::ui {
namespace {

constexpr float kSide = 14, kTop = 9, kHeight = 24, kBetween = 4, kGap = 12;  // design pixels

}  // namespace

Controls::Controls(const Canvas& canvas)
    : canvas_(canvas), x_(canvas.min.x + canvas.px(kSide)), y_(canvas.min.y + canvas.px(kTop)) {}

float Controls::height() const { return canvas_.px(kHeight); }
float Controls::bottom() const { return y_ + height(); }
void Controls::gap() { x_ += canvas_.px(kGap); }

ImVec2 Controls::room(float width) {
  if (x_ + width > canvas_.max.x - canvas_.px(kSide) && x_ > canvas_.min.x + canvas_.px(kSide)) {
    x_ = canvas_.min.x + canvas_.px(kSide);
    y_ += height() + canvas_.px(kBetween);
  }
  const ImVec2 at{x_, y_};
  x_ += width + canvas_.px(kBetween);
  return at;
}

bool Controls::chip(const std::string& label, bool on, std::string_view title,
                    std::string_view text) {
  // As wide whether it is on or off.
  const float wide = text_size(canvas_.theme.bold, label).x + canvas_.px(20);
  const ImVec2 at = room(wide);
  const bool clicked = button(canvas_.theme, (label + "##control").c_str(), at,
                              {at.x + wide, at.y + height()}, on ? Look::kFilled : Look::kPlain);
  if (ImGui::IsItemHovered()) tooltip(canvas_.theme, title, text);
  return clicked;
}

bool Controls::link(const std::string& label, std::string_view text) {
  const float width = text_size(canvas_.theme.body, label).x;
  const ImVec2 at = room(width);
  const bool clicked = button(canvas_.theme, (label + "##control").c_str(), at,
                              {at.x + width, at.y + height()}, Look::kLink);
  if (ImGui::IsItemHovered() && !text.empty()) tooltip(canvas_.theme, "", text);
  return clicked;
}

}  // namespace compmond::ui
