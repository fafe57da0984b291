// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ui/frame/details_parts.h"
#include "ui/kit/draw.h"

namespace compmond::ui {
bool Panel::hovers(float from, float to, float top, float height) const {
  return ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect({from, top}, {to, top + height});
}

void Panel::figure(std::string_view label, std::string_view value, Term term, ImU32 ink,
                   std::string_view more) {
  const float row = px(20), middle = y + row / 2;
  const float value_width = text_size(theme.mono, value).x;
  const bool fits = text_size(theme.body, label).x + px(8) + value_width <= width();
  draw_text(list, theme.body, {left, middle - theme.body->FontSize / 2}, theme.dim, label, width());
  draw_text_right(list, theme.mono,
                  {right, middle - theme.mono->FontSize / 2 + (fits ? 0 : theme.body->FontSize)},
                  ink ? ink : theme.strong, value);
  const float height = fits ? row : row + theme.body->FontSize;
  if (hovers(left, right, y, height)) {
    const Definition& def = definition(term);
    if (more.empty())
      tooltip(theme, def.title, def.text);
    else
      tooltip(theme, def.title, more, def.text);
  }
  y += height;
}

void Panel::heading(std::string_view title, std::string_view at_right) {
  y += px(14);
  draw_text(list, theme.small, {left, y}, theme.dim, title);
  if (!at_right.empty()) draw_text_right(list, theme.small, {right, y}, theme.dim, at_right);
  y += theme.small->FontSize + px(6);
}

void Panel::warning(std::string_view text) {
  const float top = y;
  draw_hatch(list, {left, top + px(2)}, {left + px(5), top + px(14)}, theme.amber, px(4));
  const float indent = px(12);
  y += draw_wrapped(list, theme.body, {left + indent, y}, theme.amber, text, width() - indent) +
       px(5);
}

void Panel::note(std::string_view text) {
  y += draw_wrapped(list, theme.body, {left, y}, theme.dim, text, width()) + px(4);
}

bool Panel::line(const char* id, float from, float to, float height, bool selected) const {
  const ImVec2 min{from, y}, max{to, y + height};
  ImGui::SetCursorScreenPos(min);
  const bool clicked = ImGui::InvisibleButton(id, {std::max(1.f, to - from), height});
  if (selected)
    list->AddRectFilled(min, max, with_alpha(theme.blue_fill, 0.3f), px(4));
  else if (ImGui::IsItemHovered())
    list->AddRectFilled(min, max, with_alpha(theme.blue, 0.12f), px(4));
  return clicked;
}

}  // namespace compmond::ui
