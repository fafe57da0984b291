// SPDX-License-Identifier: Apache-2.0
#include "diagrams/trace_timing.h"

#include <fmt/format.h>

#include <algorithm>

#include "drawing/drawings.h"
#include "drawing/drawn_trace.h"
#include "drawing/svg.h"
#include "text/numbers.h"

namespace compmond::drawing {
namespace {

using geometry::Pt;
using geometry::Rect;

constexpr size_t kMostBars = 20'000, kMostRows = 2000;  // beyond that no viewer follows
constexpr double kAxis = 24, kPlot = 860, kTickApart = 84;
constexpr double kNarrowestNames = 120, kWidestOfNames = 380;
constexpr diagrams::TraceRows kRows{24, 15, 3, 5};

// Lines at round times since the trace's start, their labels above.
void draw_axis(Svg& svg, const geometry::Axis& axis, double height) {
  for (const uint64_t at :
       geometry::ticks(axis, geometry::tick_step(axis, kTickApart), axis.start_ns)) {
    const double x = axis.px(at);
    svg.line({{x, 0}, {x, height}}, {.stroke = kLine});
    svg.text({x, -6}, at == axis.start_ns ? "0" : text::duration(at - axis.start_ns),
             {.size = 10, .anchor = Words::Anchor::kMiddle, .fill = kDim});
  }
}

void draw_bar(Svg& svg, const diagrams::TraceTimingLayout& layout, const diagrams::TraceBar& bar,
              const DrawnTrace& trace, uint64_t start_ns) {
  const auto& step = trace.steps[bar.step];
  Rect box = kRows.box(bar);
  box.x1 = std::max(box.x1, box.x0 + 1);
  const std::string said = fmt::format(
      "{}: {}, from +{}{}", trace.operation(bar.step), text::duration(trace.raw_ns(bar.step)),
      text::duration(step.start_ns - start_ns), step.failed ? ", failed" : "");
  svg.rect(box, {.fill = step.failed ? kFailed : kHue, .stroke = kBarLine, .round = 2}, said);
  for (uint32_t w = bar.first_wait; w < bar.first_wait + bar.waits; ++w) {
    const auto& wait = layout.waits[w];
    const Rect waiting{std::max(wait.x0, box.x0), box.y0, std::min(wait.x1, box.x1), box.y1};
    if (waiting.width() > 0.5) svg.rect(waiting, {.fill = kBarLine}, said);
  }
}

}  // namespace

Result<void> draw_trace_timing(Out& out, const graphs::EquivalenceClass& of,
                               const traces::Catalogue& catalogue, graphs::Naming naming) {
  const int64_t id = of.representative.id;
  const DrawnTrace trace(of.representative, catalogue, naming);
  if (trace.steps.size() > kMostBars || trace.operations.size() > kMostRows)
    return fail(Exit::kData, "cannot draw the trace's timing",
                fmt::format("trace {} has {} executions of {} operations, more than anybody can "
                            "look at",
                            id, trace.steps.size(), trace.operations.size()),
                "Choose another one with --trace, or use --format text or json.");
  const uint64_t start_ns = of.representative.start_ns(), end_ns = of.representative.end_ns();
  const geometry::Axis axis{start_ns, std::max(end_ns, start_ns + 1), 0, kPlot};
  const auto layout = diagrams::lay_out_trace_timing(trace, axis, 0);
  const double height = kRows.top(layout.rows.size());
  double names = kNarrowestNames;
  for (const auto& operation : trace.operations)
    names = std::max(names, Svg::width_of(operation.name, 12) + 12);
  names = std::min(names, kWidestOfNames);
  const Pt origin{Svg::kMargin + names, Svg::kHeading + kAxis};
  Svg svg(out, origin.x + kPlot + 2 * Svg::kMargin, origin.y + height + Svg::kMargin,
          fmt::format("Trace {}, {}", id, text::duration(end_ns - start_ns)));
  svg.shift(origin);
  draw_axis(svg, axis, height);
  for (size_t row = 0; row < layout.rows.size(); ++row) {
    const double bottom = kRows.top(row + 1);
    svg.text({-names, bottom - 8}, trace.operations[layout.rows[row]].name, {.room = names - 8});
    svg.line({{-names, bottom}, {kPlot, bottom}}, {.stroke = kLine});
  }
  for (const auto& bar : layout.bars) draw_bar(svg, layout, bar, trace, start_ns);
  for (const auto& call : layout.calls) {
    if (call.from == call.to) continue;
    const auto [y0, y1] = kRows.ends(call);
    svg.line({{call.x, y0}, {call.x, y1}}, {.stroke = kDim, .opacity = 0.6});
    svg.head(geometry::arrow_head({{call.x, y1}, {0, y1 > y0 ? 1.0 : -1.0}}, 5, 2.6), kDim);
  }
  svg.end();
  return {};
}

}  // namespace compmond::drawing
