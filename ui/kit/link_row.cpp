// SPDX-License-Identifier: Apache-2.0
#include "ui/kit/link_row.h"

#include "ui/kit/draw.h"

namespace compmond::ui {

bool LinkRow::link(const char* label) {
  const float width = text_size(theme.body, label).x;
  const bool clicked = button(theme, label, {x, top}, {x + width, top + height}, Look::kLink);
  x += width + gap;
  return clicked;
}

}  // namespace compmond::ui
