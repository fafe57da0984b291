// SPDX-License-Identifier: Apache-2.0
#include "ui/views/inside/whose.h"

#include "ui/kit/draw.h"

namespace compmond::ui {

using snapshot::Whose;

ImU32 whose_colour(const Theme& theme, const Word<Whose>& whose) {
  // Told apart by lightness, too; none is amber (distrust), blue (to be touched) or green (live).
  switch (whose.known().value_or(Whose::kUnknown)) {
    case Whose::kOwn:
      return from_rgb(0xd0674f);
    case Whose::kLibrary:
      return from_rgb(0xa78bc9);
    case Whose::kKernel:
      return from_rgb(0x5f8f98);
    case Whose::kVdso:
      return from_rgb(0x9fc5c2);
    case Whose::kUnknown:
    case Whose::kMissing:
      break;
  }
  return theme.bar_line;
}

ImU32 draw_whose(const Canvas& canvas, ImVec2 min, ImVec2 max, const Word<Whose>& whose,
                 float towards, float rounding) {
  const Theme& theme = canvas.theme;
  const ImU32 fill = mix(whose_colour(theme, whose), theme.background, towards);
  canvas.list->AddRectFilled(min, max, fill, rounding);
  if (whose == Whose::kMissing)
    draw_hatch(canvas.list, min, max, mix(theme.amber, theme.background, towards), canvas.px(5));
  return fill;
}

}  // namespace compmond::ui
