// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ui/kit/canvas.h"
#include "ui/kit/draw.h"
#include "ui/views/shared/definitions.h"

namespace compmond::ui {

// A column of cards; cards go from top to bottom.
struct CardColumn {
  const Canvas& canvas;
  const Theme& theme;
  float left, right, y;

  float px(float design) const { return theme.px(design); }
  float inner() const { return left + px(16); }
  float inner_right() const { return right - px(16); }

  // Draws `content` and a card behind it.
  template <class Content>
  void card(const char* title, Content content) {
    ImDrawList* list = canvas.list;
    const float top = y;
    list->ChannelsSplit(2);
    list->ChannelsSetCurrent(1);
    y += px(14);
    draw_text(list, theme.bold, {inner(), y}, theme.strong, title, inner_right() - inner());
    y += theme.bold->FontSize + px(8);
    content();
    y += px(12);
    list->ChannelsSetCurrent(0);
    list->AddRectFilled({left, top}, {right, y}, theme.panel, px(8));
    list->AddRect({left, top}, {right, y}, theme.line, px(8));
    list->ChannelsMerge();
    y += px(12);
  }

  // `label`: instead of the term's title.
  void figure(Term term, const std::string& value, bool bad = false, const std::string& label = {});
  void text(ImU32 colour, const std::string& words, float indent = 0);  // wrapped
};

}  // namespace compmond::ui
