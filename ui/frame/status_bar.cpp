// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "ui/frame/frame.h"
#include "ui/frame/status_items.h"
#include "ui/frame/transport.h"
#include "ui/kit/draw.h"

namespace compmond::ui {
namespace {

// The item that next takes to what says less; null: none does any more.
StatusItem* next_to_shorten(std::vector<StatusItem>& items) {
  StatusItem* next = nullptr;
  for (StatusItem& one : items)
    if (!one.shorter.empty() && (!next || one.shorter[0].rank < next->shorter[0].rank)) next = &one;
  return next;
}

float total_width(const std::vector<StatusItem>& items, float gap) {
  float sum = 0;
  for (const StatusItem& one : items) sum += one.width + gap;
  return sum;
}

}  // namespace

void draw_status_bar(const Canvas& canvas, Model& model) {
  const Theme& theme = canvas.theme;
  draw_ground(canvas.list, canvas.min, canvas.max,
              mix(theme.panel, from_rgb(0), theme.dark ? 0.3f : 0.04f));
  std::vector<StatusItem> items = status_items(theme, model);
  const float left = draw_transport(canvas, model);
  items.push_back({"? keys · S snapshot · space pause", theme.dim, 10, "", ""});

  const float gap = theme.px(canvas.width() < theme.px(1000) ? 16 : 26), dot = theme.px(14);
  ImFont* font = theme.body;
  const auto measure = [&](StatusItem& one) {
    one.width = text_size(font, one.text).x + (one.dot ? dot : 0);
  };
  for (StatusItem& one : items) measure(one);
  const float room = canvas.max.x - left - theme.px(32) + gap;
  while (total_width(items, gap) > room) {
    const auto lightest = std::min_element(
        items.begin(), items.end(),
        [](const StatusItem& a, const StatusItem& b) { return a.weight < b.weight; });
    if (lightest->weight < kNews) {
      items.erase(lightest);
    } else if (StatusItem* const one = next_to_shorten(items)) {
      one->text = one->shorter.front().text;
      one->shorter.erase(one->shorter.begin());
      measure(*one);
    } else {
      break;
    }
  }
  const float shrink = std::min(1.f, room / std::max(1.f, total_width(items, gap)));
  const float y = (canvas.min.y + canvas.max.y - font->FontSize) / 2;
  float x = left + theme.px(16);
  for (const StatusItem& one : items) {
    const bool keys = one.weight == 10;
    const float width = one.width * shrink;
    const float at = keys ? canvas.max.x - theme.px(16) - width : x;
    float text_x = at;
    if (one.dot) {
      canvas.list->AddCircleFilled({at + theme.px(4), (canvas.min.y + canvas.max.y) / 2},
                                   theme.px(4), one.colour);
      text_x += dot;
    }
    draw_text(canvas.list, font, {text_x, y}, one.colour, one.text,
              width - (one.dot ? dot : 0) + 1);
    if (!one.hover_title.empty() &&
        ImGui::IsMouseHoveringRect({at, canvas.min.y}, {at + width, canvas.max.y}) &&
        ImGui::IsWindowHovered()) {
      tooltip(theme, one.hover_title, one.hover_text);
      if (ImGui::IsMouseClicked(0)) {
        if (one.component.empty())
          model.wishes.view = ViewId::kHealth;
        else
          model.selection = {one.component, "", {}};
      }
    }
    x += width + gap * shrink;
  }
}

}  // namespace compmond::ui
