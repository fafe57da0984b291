// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/numbers.h"
#include "drawing/svg.h"
#include "drawing/svg_axis.h"

namespace compmond::drawing {
namespace {

constexpr size_t kMostBars = 20'000, kMostRows = 2000;  // beyond that no viewer follows
constexpr double kMargin = 24, kTop = 76, kRow = 24, kPlot = 860;
constexpr double kMostNames = 380;

}  // namespace

Result<void> write_svg(Out& out, const traces::TraceTiming& timing) {
  size_t bars = 0;
  double names = 120;
  for (const auto& row : timing.rows) {
    bars += row.bars.size();
    names = std::max(names, Svg::width_of(row.operation, 12) + 12);
  }
  names = std::min(names, kMostNames);
  if (bars > kMostBars || timing.rows.size() > kMostRows)
    return fail(Exit::kData, "cannot draw the trace's timing",
                fmt::format("trace {} has {} executions of {} operations, more than anybody can "
                            "look at",
                            timing.trace_id, bars, timing.rows.size()),
                "Choose another one with --trace, or use --format text or json.");
  const uint64_t span = timing.end_ns - timing.start_ns;
  const double height = kRow * double(timing.rows.size());
  const double left = kMargin + names;
  const std::string title = fmt::format("Trace {}, {}", timing.trace_id, duration_text(span));
  Svg svg(out, left + kPlot + 2 * kMargin, kTop + height + kMargin, title);
  svg.text(kMargin, kMargin + 8, title, 16);
  draw_time_axis(svg, left, kTop, kPlot, height, span);
  const auto place = [&](uint64_t at) {
    return left + kPlot * double(at - timing.start_ns) / double(std::max<uint64_t>(span, 1));
  };
  for (size_t i = 0; i < timing.rows.size(); ++i) {
    const auto& row = timing.rows[i];
    const double y = kTop + kRow * double(i);
    svg.text(kMargin, y + 16, row.operation, 12, Svg::Anchor::kStart, names - 8);
    svg.line(kMargin, y + kRow, left + kPlot, y + kRow, "#edf2f7");
    for (const auto& bar : row.bars)
      svg.rect(
          place(bar.start_ns), y + 5, std::max(place(bar.end_ns) - place(bar.start_ns), 1.0),
          kRow - 9, bar.failed ? "#fc8181" : "#63b3ed",
          fmt::format("{}: {}, from +{}{}", row.operation, duration_text(bar.end_ns - bar.start_ns),
                      duration_text(bar.start_ns - timing.start_ns), bar.failed ? ", failed" : ""));
  }
  svg.end();
  return {};
}

}  // namespace compmond::drawing
