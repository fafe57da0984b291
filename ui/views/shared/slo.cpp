// SPDX-License-Identifier: Apache-2.0
#include "ui/views/shared/slo.h"

#include <fmt/format.h>

#include <algorithm>

#include "text/numbers.h"

namespace compmond::ui {

std::string objective_text(const snapshot::Component& component) {
  if (!component.figures.slo) return {};
  if (const auto& shared = component.figures.slo->objective_ns)
    return text::duration(double(*shared));
  uint64_t least = UINT64_MAX, most = 0;
  for (const auto& operation : component.operations) {
    if (!operation.figures.slo || !operation.figures.slo->objective_ns) continue;
    least = std::min(least, *operation.figures.slo->objective_ns);
    most = std::max(most, *operation.figures.slo->objective_ns);
  }
  return fmt::format("{} to {}", text::duration(double(std::min(least, most))),
                     text::duration(double(most)));
}

std::string missed_text(const snapshot::Component& component) {
  const uint64_t count = violations(component.figures);
  if (count == 0) return {};
  const auto& slo = *component.figures.slo;
  std::string out = fmt::format("{} missed the objective of {}", text::counted(count, "execution"),
                                objective_text(component));
  if (slo.violating_now > 0)
    out += fmt::format(", {} of them still running", text::count(slo.violating_now));
  if (slo.unseen_ends > 0)
    out += fmt::format(", the ends of {} were not seen", text::count(slo.unseen_ends));
  return out;
}

void draw_missed_mark(ImDrawList* list, const Theme& theme, ImVec2 at, float size) {
  const float half = size * 0.6f;
  const ImVec2 left{at.x - half, at.y}, right{at.x + half, at.y}, tip{at.x, at.y - size};
  list->AddTriangleFilled(left, tip, right, theme.red);
  list->AddTriangle(left, tip, right, theme.background, theme.px(1));
}

}  // namespace compmond::ui
