// SPDX-License-Identifier: Apache-2.0
#include "text_boxes.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace compmond::ui {
namespace {

std::string where(const Glyph& glyph) {
  return "'" + std::string(1, char(glyph.code)) + "' at " + std::to_string(int(glyph.min.x)) + "," +
         std::to_string(int(glyph.min.y));
}

}  // namespace

void nothing_is_cut(const Stage& stage, float width, float height) {
  for (const Glyph& glyph : stage.glyphs()) {
    if (glyph.max.y <= glyph.clip_min.y || glyph.min.y >= glyph.clip_max.y)
      continue;  // scrolled away
    INFO(where(glyph) << " in " << width << "x" << height);
    CHECK(glyph.min.x >= glyph.clip_min.x - 1);
    CHECK(glyph.max.x <= glyph.clip_max.x + 1);
    CHECK(glyph.max.x <= width + 1);
    CHECK(glyph.min.y >= -1);
  }
}

void nothing_overlaps(const Stage& stage) {
  std::vector<Glyph> all;
  for (Glyph glyph : stage.glyphs()) {
    glyph.min.y = std::max(glyph.min.y, glyph.clip_min.y);
    glyph.max.y = std::min(glyph.max.y, glyph.clip_max.y);
    if (glyph.max.y > glyph.min.y) all.push_back(glyph);
  }
  std::sort(all.begin(), all.end(),
            [](const Glyph& a, const Glyph& b) { return a.min.x < b.min.x; });
  const auto area = [](const Glyph& g) { return (g.max.x - g.min.x) * (g.max.y - g.min.y); };
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t j = i + 1; j < all.size() && all[j].min.x < all[i].max.x; ++j) {
      const float x = std::min(all[i].max.x, all[j].max.x) - all[j].min.x;
      const float y = std::min(all[i].max.y, all[j].max.y) - std::max(all[i].min.y, all[j].min.y);
      if (x <= 0 || y <= 0) continue;
      INFO(where(all[i]) << " and " << where(all[j]));
      CHECK(x * y <= 0.4f * std::min(area(all[i]), area(all[j])) + 3);
    }
}

}  // namespace compmond::ui
