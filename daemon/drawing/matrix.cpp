// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "drawing/svg.h"

namespace compmond::drawing {
namespace {

constexpr size_t kMost = 300;  // rows and columns; beyond that no viewer follows
constexpr double kMargin = 24, kTop = 84, kCell = 34;

// From nearly white to blue, on a logarithmic scale, since counts differ by magnitudes.
std::string colour(uint64_t count, uint64_t most) {
  const double heat = std::log1p(double(count)) / std::log1p(double(most));
  const auto mix = [&](int to) { return int(247 + (to - 247) * heat); };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(49), mix(130), mix(206));
}

}  // namespace

Result<void> write_svg_matrix(Out& out, const traces::DependencyGraph& graph) {
  const traces::Nodes& nodes = graph.nodes();
  if (nodes.size() > kMost)
    return fail(
        Exit::kData, "cannot draw the matrix",
        fmt::format("{} rows are more than anybody can read (at most {})", nodes.size(), kMost),
        "Use a coarser --level, or --format json.");
  const auto matrix = graph.matrix();
  uint64_t most = 1;
  double names = 120;
  for (const auto& row : matrix)
    for (const uint64_t count : row) most = std::max(most, count);
  for (uint32_t i = 0; i < nodes.size(); ++i)
    names = std::max(names, Svg::width_of(nodes.name(i), 12) + 40);
  names = std::min(names, 420.0);
  const double left = kMargin + names;
  const std::string title =
      fmt::format("Calls from rows to columns, by {}", traces::to_string(nodes.naming().level));
  Svg svg(out, std::max(left + kCell * double(nodes.size()) + kMargin, 460.0),
          kTop + kCell * double(matrix.size()) + kMargin, title);
  svg.text(kMargin, kMargin + 8, title, 16);
  for (size_t to = 0; to < nodes.size(); ++to)
    svg.text(left + kCell * (double(to) + 0.5), kTop - 8, fmt::to_string(to + 1), 11,
             Svg::Anchor::kMiddle, 0, "#718096");
  for (size_t from = 0; from < matrix.size(); ++from) {
    const double y = kTop + kCell * double(from);
    const std::string name = from == 0 ? traces::kOutside : nodes.name(uint32_t(from - 1));
    if (from > 0)
      svg.text(kMargin + 22, y + 21, fmt::to_string(from), 11, Svg::Anchor::kEnd, 0, "#718096");
    svg.text(kMargin + 30, y + 21, name, 12, Svg::Anchor::kStart, names - 36);
    for (size_t to = 0; to < nodes.size(); ++to) {
      const uint64_t count = matrix[from][to];
      const double x = left + kCell * double(to);
      svg.rect(x + 1, y + 1, kCell - 2, kCell - 2, count ? colour(count, most) : "#f7fafc",
               fmt::format("{} -> {}: {}", name, nodes.name(uint32_t(to)), count_text(count)));
      if (count == 0) continue;
      const bool dark = std::log1p(double(count)) > 0.6 * std::log1p(double(most));
      svg.text(x + kCell / 2, y + 21,
               count < 10'000 ? fmt::to_string(count) : fmt::format("{:.0e}", double(count)), 10,
               Svg::Anchor::kMiddle, 0, dark ? "white" : "#1a202c");
    }
  }
  svg.end();
  return {};
}

}  // namespace compmond::drawing
