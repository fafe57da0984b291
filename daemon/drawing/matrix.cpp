// SPDX-License-Identifier: Apache-2.0
#include "diagrams/matrix.h"

#include <fmt/format.h>

#include <algorithm>

#include "drawing/drawings.h"
#include "drawing/svg.h"
#include "text/numbers.h"

namespace compmond::drawing {
namespace {

using geometry::Rect;

constexpr size_t kMost = 300;  // rows and columns; beyond that no viewer follows
constexpr double kAboveMatrix = 60, kHeads = 24, kCell = 34, kWidestNames = 420;

void draw_cell(Svg& svg, const Rect& cell, uint64_t count, uint64_t most, std::string_view said) {
  const double share = diagrams::cell_share(count, most);
  const geometry::Rgb fill = count == 0 ? kPanel : geometry::mixed(kBar, kHue, share);
  svg.rect(cell.grown(-1), {.fill = fill, .round = 2}, said);
  if (count == 0) return;
  svg.text({cell.centre().x, cell.centre().y + 4}, text::short_count(double(count)),
           {.size = 10,
            .anchor = Words::Anchor::kMiddle,
            .fill = geometry::readable_on(fill, kPaper, kInk)});
}

}  // namespace

Result<void> draw_matrix(Out& out, const graphs::DependencyGraph& graph) {
  const graphs::Nodes& nodes = graph.nodes();
  if (nodes.size() > kMost)
    return fail(
        Exit::kData, "cannot draw the matrix",
        fmt::format("{} rows are more than anybody can read (at most {})", nodes.size(), kMost),
        "Use a coarser --level, or --format json.");
  const auto counts = graph.matrix();  // its first row: calls from outside
  uint64_t most = 1;
  for (const auto& row : counts)
    for (const uint64_t count : row) most = std::max(most, count);
  double names = 120;
  for (uint32_t i = 0; i < nodes.size(); ++i)
    names = std::max(names, Svg::width_of(nodes.name(i), 12) + 40);
  names = std::min(names, kWidestNames);
  const double left = Svg::kMargin, right = left + names + kCell * double(nodes.size()),
               bottom = kAboveMatrix + kHeads + kCell * double(counts.size());
  const diagrams::Matrix at = diagrams::matrix({.rows = counts.size(),
                                                .columns = nodes.size(),
                                                .area = {left, kAboveMatrix, right, bottom},
                                                .names = names,
                                                .heads = kHeads,
                                                .least = kCell,
                                                .widest = kCell,
                                                .height = kCell},
                                               {});
  Svg svg(out, right + Svg::kMargin, bottom + Svg::kMargin,
          fmt::format("Calls from rows to columns, by {}", to_text(nodes.naming().level)));
  for (size_t to = 0; to < nodes.size(); ++to)
    svg.text({at.cell(0, to).centre().x, at.cells.y0 - 8}, fmt::to_string(to + 1),
             {.size = 11, .anchor = Words::Anchor::kMiddle, .fill = kDim});
  for (size_t from = 0; from < counts.size(); ++from) {
    const double y = at.cell(from, 0).centre().y + 4;
    const std::string name = from == 0 ? traces::kOutside : nodes.name(uint32_t(from - 1));
    if (from > 0)
      svg.text({left + 22, y}, fmt::to_string(from),
               {.size = 11, .anchor = Words::Anchor::kEnd, .fill = kDim});
    svg.text({left + 30, y}, name, {.room = names - 36});
    for (size_t to = 0; to < nodes.size(); ++to)
      draw_cell(svg, at.cell(from, to), counts[from][to], most,
                fmt::format("{} -> {}: {}", name, nodes.name(uint32_t(to)),
                            text::count(counts[from][to])));
  }
  svg.end();
  return {};
}

}  // namespace compmond::drawing
