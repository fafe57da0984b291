// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "snapshot/doubt.h"
#include "text/clean.h"
#include "text/numbers.h"
#include "ui/frame/details_parts.h"
#include "ui/kit/draw.h"
#include "ui/views/shared/estimated.h"

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

// Lines at the percentiles; of labels that would touch, the later in this list goes without.
void draw_marks(const Panel& panel, const LogAxis& axis, const snapshot::Figures& figures,
                float top, float bottom) {
  const struct {
    const char* name;
    uint64_t ns;
  } marks[] = {{"p50", figures.p50_ns}, {"p99", figures.p99_ns}, {"p90", figures.p90_ns}};
  std::vector<std::pair<float, float>> taken;
  for (const auto& mark : marks) {
    if (mark.ns == 0) continue;
    const float x = axis.x(double(mark.ns));
    draw_dashed(panel.list, {x, top}, {x, bottom}, with_alpha(panel.theme.strong, 0.7f),
                panel.px(1), panel.px(3));
    const float width = text_size(panel.theme.small, mark.name).x;
    const float from = std::clamp(x - width / 2, axis.left, axis.left + axis.width - width),
                to = from + width + panel.px(3);
    if (std::any_of(taken.begin(), taken.end(),
                    [&](const auto& other) { return from < other.second && to > other.first; }))
      continue;
    draw_text(panel.list, panel.theme.small, {from, top - panel.theme.small->FontSize},
              panel.theme.text, mark.name);
    taken.emplace_back(from, to);
  }
}

void draw_ticks(const Panel& panel, const LogAxis& axis, float y) {
  float free = axis.left - panel.px(8);
  const auto tick = [&](double ns) {
    const float x = axis.x(ns);
    const std::string text = text::duration(ns);
    const float width = text_size(panel.theme.mono_small, text).x;
    const float at = std::clamp(x - width / 2, axis.left, axis.left + axis.width - width);
    panel.list->AddLine({x, y}, {x, y + panel.px(3)}, panel.theme.faint);
    if (at < free) return;
    draw_text(panel.list, panel.theme.mono_small, {at, y + panel.px(4)}, panel.theme.dim, text);
    free = at + width + panel.px(8);
  };
  // 1, 2, 5 over few decades, 1 over many, and more within one.
  const bool many = axis.high / axis.low > 100, few = axis.high / axis.low < 8;
  for (double decade = std::pow(10, std::floor(std::log10(axis.low))); decade <= axis.high;
       decade *= 10)
    for (const double digit : {1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0}) {
      const bool wanted = digit == 1 || (!many && (few || digit == 2 || digit == 5));
      if (const double ns = decade * digit; wanted && ns >= axis.low && ns <= axis.high) tick(ns);
    }
}

}  // namespace

void draw_histogram(Panel& panel, const Model& model, const snapshot::Component& component) {
  const Definition& def = definition(Term::kHistogram);
  const bool sliced = component.figures.sliced.has_value();  // its percentiles are others' then
  panel.heading(def.title, sliced ? "while probes were there" : "");
  if (panel.hovers(panel.left, panel.right, panel.y - panel.px(18), panel.px(18)))
    tooltip(panel.theme, def.title, def.text);
  if (!saw_calls(component)) {
    panel.note(std::string(kNoSingleCalls) + " Run with probes for latencies.");
    return;
  }
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
    panel.note(!mine                        ? "…"
               : sliced                     ? "No execution of it ended while probes were there."
               : component.figures.at_least ? "No execution of it was seen to end in this window."
                                            : "No execution of it ended in this window.");
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
      tooltip(panel.theme, text::counted(bucket.count, "execution"),
              fmt::format("{} to {}", text::duration(double(bucket.from_ns)),
                          text::duration(double(bucket.to_ns))));
  }
  if (!sliced) draw_marks(panel, axis, component.figures, top, bottom);
  draw_ticks(panel, axis, bottom);
  panel.y = bottom + panel.px(20);
}

void draw_calls(Panel& panel, const snapshot::Figures& figures) {
  panel.figure("calls",
               estimated_calls(figures) ? calls_text(figures)
               : tells_calls(figures) || !figures.not_extrapolated
                   ? calls_text(figures) + observed_text(figures)
                   : "not told",
               Term::kCalls, 0, how_calls_are_known(figures));
  if (figures.not_extrapolated) panel.note(text::clean(*figures.not_extrapolated));
}

void draw_sliced(Panel& panel, const snapshot::Figures& f) {
  if (!f.sliced) return;
  panel.figure("p50 / p99 in slices",
               fmt::format("{} / {}", raw_single_text(f, f.p50_ns), raw_single_text(f, f.p99_ns)),
               Term::kP99, 0,
               fmt::format("of {} executions, slowed ×{:.1f} by the probes of slices; mean {}, "
                           "longest {}",
                           text::count(f.sliced->seen), f.sliced->slow_down,
                           raw_single_text(f, f.mean_ns), raw_single_text(f, f.max_ns)));
}

}  // namespace compmond::ui
