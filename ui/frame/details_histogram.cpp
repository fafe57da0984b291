// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ui/draw.h"
#include "ui/format.h"
#include "ui/frame/details_parts.h"

namespace compmond::ui {
namespace {

constexpr float kHeight = 74;  // design pixels

// A logarithmic axis from `low` to `high`.
struct LogAxis {
  double low, high;
  float left, width;
  float x(double ns) const {
    return left + width * float(std::log(std::clamp(ns, low, high) / low) / std::log(high / low));
  }
};

// Percentile marks from the left; a label that would touch the one before goes without text.
void draw_marks(const Panel& panel, const LogAxis& axis, const snapshot::Figures& figures,
                float top, float bottom) {
  const struct {
    const char* name;
    uint64_t ns;
    float alpha;
  } marks[] = {
      {"p50", figures.p50_ns, 1.f}, {"p90", figures.p90_ns, 0.75f}, {"p99", figures.p99_ns, 0.75f}};
  float free = axis.left - 1;
  for (const auto& mark : marks) {
    if (mark.ns == 0) continue;
    const float x = axis.x(double(mark.ns));
    draw_dashed(panel.list, {x, top}, {x, bottom},
                with_alpha(panel.theme.strong, 0.7f * mark.alpha), panel.px(1), panel.px(3));
    const float width = text_size(panel.theme.small, mark.name).x;
    const float at = std::min(x - width / 2, axis.left + axis.width - width);
    if (at < free) continue;
    draw_text(panel.list, panel.theme.small, {at, top - panel.theme.small->FontSize},
              panel.theme.text, mark.name);
    free = at + width + panel.px(3);
  }
}

void draw_ticks(const Panel& panel, const LogAxis& axis, float y) {
  float free = axis.left - panel.px(8);
  const auto tick = [&](double ns) {
    const float x = axis.x(ns);
    const std::string text = duration_text(ns);
    const float width = text_size(panel.theme.mono_small, text).x;
    const float at = std::clamp(x - width / 2, axis.left, axis.left + axis.width - width);
    panel.list->AddLine({x, y}, {x, y + panel.px(3)}, panel.theme.faint);
    if (at < free) return;
    draw_text(panel.list, panel.theme.mono_small, {at, y + panel.px(4)}, panel.theme.dim, text);
    free = at + width + panel.px(8);
  };
  // 1, 2, 5 over few decades, 1 over many.
  const bool many = axis.high / axis.low > 100;
  for (double decade = std::pow(10, std::floor(std::log10(axis.low))); decade <= axis.high;
       decade *= 10)
    for (const double digit : {1.0, 2.0, 5.0})
      if (const double ns = decade * digit;
          ns >= axis.low && ns <= axis.high && (digit == 1 || !many))
        tick(ns);
}

}  // namespace

void draw_histogram(Panel& panel, const Model& model, const snapshot::Component& component) {
  const Definition& def = definition(Term::kHistogram);
  panel.heading(def.title, "");
  if (panel.hovers(panel.left, panel.right, panel.y - panel.px(18), panel.px(18)))
    tooltip(panel.theme, def.title, def.text);
  const bool mine = model.details && model.details->component == component.name;
  uint64_t most = 0;
  double low = 0, high = 0;
  if (mine)
    for (const auto& bucket : model.details->histogram) {
      if (bucket.count == 0) continue;
      most = std::max(most, bucket.count);
      if (low == 0) low = double(std::max<uint64_t>(1, bucket.from_ns));
      high = double(bucket.to_ns);
    }
  if (most == 0) {
    panel.note(mine ? "No execution of it ended in this window." : "…");
    return;
  }
  // At least a factor of two, so that a single bucket does not fill the panel.
  if (high < low * 2) low /= 1.2, high = std::max(high * 1.2, low * 2);
  const float top = panel.y + panel.theme.small->FontSize, bottom = top + panel.px(kHeight);
  const LogAxis axis{low, high, panel.left, panel.width()};
  panel.list->AddLine({panel.left, bottom}, {panel.right, bottom}, panel.theme.line);
  for (const auto& bucket : model.details->histogram) {
    if (bucket.count == 0) continue;
    const float from = axis.x(double(std::max<uint64_t>(1, bucket.from_ns)));
    const float to = std::max(from + 1, axis.x(double(bucket.to_ns)) - panel.px(1));
    const float height =
        std::max(panel.px(1), (bottom - top) * float(double(bucket.count) / double(most)));
    const bool hovered = panel.hovers(from, to + panel.px(1), top, bottom - top);
    panel.list->AddRectFilled({from, bottom - height}, {to, bottom},
                              hovered ? panel.theme.blue : with_alpha(panel.theme.blue_fill, 0.95f),
                              panel.px(1));
    if (hovered)
      tooltip(panel.theme,
              fmt::format("{} execution{}", count_text(bucket.count), bucket.count == 1 ? "" : "s"),
              fmt::format("{} to {}", duration_text(double(bucket.from_ns)),
                          duration_text(double(bucket.to_ns))));
  }
  draw_marks(panel, axis, component.figures, top, bottom);
  draw_ticks(panel, axis, bottom);
  panel.y = bottom + panel.px(20);
}

}  // namespace compmond::ui
