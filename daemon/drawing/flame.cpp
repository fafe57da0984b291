// SPDX-License-Identifier: Apache-2.0
#include "diagrams/flame.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/hash_mix.h"
#include "drawing/call_tree.h"
#include "drawing/drawings.h"
#include "drawing/svg.h"
#include "text/numbers.h"

namespace compmond::drawing {
namespace {

constexpr double kAboveFlame = 76, kWidth = 1200, kBox = 20;
constexpr double kThinnest = 0.3;  // pixels; what is thinner nobody sees
constexpr double kLeastText = 24;  // narrower boxes say nothing
constexpr size_t kMostBoxes = 10 * kMostTreeRows;

// Warm colours that tell neighbours apart: by name, so that a name keeps its colour.
geometry::Rgb flame_colour(const std::string& name) {
  constexpr geometry::Rgb kRed{0xec, 0x8a, 0x72}, kYellow{0xf6, 0xd6, 0x7c};
  return geometry::mixed(kRed, kYellow, double(hash_mix(0, name) % 64) / 63);
}

}  // namespace

Result<void> draw_flame(Out& out, const graphs::CallTree& tree) {
  const diagrams::Flame flame =
      diagrams::flame(diagram_of(tree), 0, diagrams::FlameWidth::kRaw, kWidth, kThinnest);
  if (flame.boxes.size() > kMostBoxes) return too_large(flame.boxes.size());
  const double height = kAboveFlame + kBox * flame.rows + Svg::kMargin;
  Svg svg(out, kWidth + 2 * Svg::kMargin, height,
          fmt::format("Flame graph: {} in {} traces", text::duration(tree.nodes()[0].raw_ns),
                      text::count(tree.nodes()[0].count)));
  svg.shift({Svg::kMargin, 0});
  for (const diagrams::FlameBox& box : flame.boxes) {
    const double width = box.x1 - box.x0, y = height - Svg::kMargin - kBox * (box.row + 1);
    const std::string name = tree.name(box.node);
    const geometry::Rgb fill = box.node == 0 ? kBar : flame_colour(name);
    svg.rect({box.x0, y, box.x0 + std::max(width - 0.5, kThinnest), y + kBox - 1},
             {.fill = fill, .round = 2}, about(tree, box.node));
    if (width > kLeastText) svg.text({box.x0 + 4, y + 14}, name, {.size = 11, .room = width - 8});
  }
  svg.end();
  return {};
}

}  // namespace compmond::drawing
