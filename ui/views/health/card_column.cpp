// SPDX-License-Identifier: Apache-2.0
#include "ui/views/health/card_column.h"

#include <cfloat>
#include <cmath>

namespace compmond::ui {

void CardColumn::figure(Term term, const std::string& value, bool bad, const std::string& label) {
  const float row = px(21), at = y + (row - theme.body->FontSize) / 2;
  const Definition& def = definition(term);
  const float width = text_size(theme.mono, value).x;
  draw_text(canvas.list, theme.body, {inner(), at}, bad ? theme.amber : theme.dim,
            label.empty() ? def.title : label, inner_right() - inner() - width - px(10));
  draw_text_right(canvas.list, theme.mono, {inner_right(), at}, bad ? theme.amber : theme.strong,
                  value);
  if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect({left, y}, {right, y + row}))
    tooltip(theme, def.title, def.text);
  y += row;
}

void CardColumn::text(ImU32 colour, const std::string& words, float indent) {
  y += draw_wrapped(canvas.list, theme.body, {inner() + indent, y}, colour, words,
                    inner_right() - inner() - indent) +
       px(4);
}

}  // namespace compmond::ui
