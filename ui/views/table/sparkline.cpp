// SPDX-License-Identifier: Apache-2.0
#include "ui/views/table/sparkline.h"

#include <algorithm>

#include "ui/views/shared/heat.h"

namespace compmond::ui {

void draw_sparkline(const Canvas& canvas, const Model& model, const std::string& component,
                    ImVec2 min, ImVec2 max) {
  if (!model.strip || model.strip->columns == 0) return;
  const auto& strip = *model.strip;
  const auto found = std::find(strip.components.begin(), strip.components.end(), component);
  if (found == strip.components.end()) return;
  const auto& row = strip.real_ns[size_t(found - strip.components.begin())];
  if (row.empty()) return;
  // One step per two pixels, the largest column of each: a peak is never lost.
  const auto steps = size_t(std::max(1.f, (max.x - min.x) / canvas.px(2)));
  const double busiest = double(std::max<uint64_t>(1, *std::max_element(row.begin(), row.end())));
  canvas.list->AddLine({min.x, max.y}, {max.x, max.y}, with_alpha(canvas.theme.faint, 0.5f));
  const ImU32 colour = with_alpha(full_hue_of(canvas.theme, model, component), 0.75f);
  for (size_t step = 0; step < steps; ++step) {
    const size_t from = step * row.size() / steps;
    const size_t to = std::max(from + 1, (step + 1) * row.size() / steps);
    const uint64_t top = *std::max_element(row.begin() + ptrdiff_t(from),
                                           row.begin() + ptrdiff_t(std::min(to, row.size())));
    if (top == 0) continue;
    const float height = std::max(1.f, (max.y - min.y) * float(double(top) / busiest));
    const float x = min.x + canvas.px(2) * float(step);
    canvas.list->AddRectFilled({x, max.y - height}, {std::min(x + canvas.px(2), max.x), max.y},
                               colour);
  }
}

}  // namespace compmond::ui
