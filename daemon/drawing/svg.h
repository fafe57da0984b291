// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/out.h"
#include "drawing/palette.h"
#include "geometry/color.h"
#include "geometry/shapes.h"

namespace compmond::drawing {

// `text` for an XML text or attribute; what XML or a reader's eyes cannot take is left out.
std::string xml_text(std::string_view text);
// "#rrggbb"
std::string hex(geometry::Rgb colour);

struct Paint {
  std::optional<geometry::Rgb> fill = {}, stroke = {};
  double width = 1;  // of the stroke
  double round = 0;  // radius of a rectangle's corners
  double opacity = 1;
  bool dashed = false;
};

struct Words {
  enum class Anchor { kStart, kMiddle, kEnd };
  double size = 12;
  Anchor anchor = Anchor::kStart;
  double room = 0;  // cut to so many pixels where that is not 0; then the whole text is its tooltip
  geometry::Rgb fill = kInk;
};

// Shapes of one SVG document, in pixels. Everything it is given is escaped. A tooltip is shown
// where the pointer rests.
class Svg {
 public:
  static constexpr double kMargin = 24, kHeading = 52;  // around all; below it, of the title

  // With its title at the upper left corner, for which it is wide enough.
  Svg(Out& out, double width, double height, std::string_view title);
  // All that follows stands that much further right and down; once.
  void shift(geometry::Pt by);
  void end();

  void rect(const geometry::Rect& rect, const Paint& paint, std::string_view tooltip = {});
  void line(const std::vector<geometry::Pt>& points, const Paint& paint);
  void curve(const geometry::Curve& curve, const Paint& paint, std::string_view tooltip = {});
  void head(const geometry::ArrowHead& corners, geometry::Rgb fill);
  void text(geometry::Pt at, std::string_view text, const Words& words = {});
  // About how wide a text is, without a font to measure it with.
  static double width_of(std::string_view text, double size);

 private:
  void end_shape(const char* element, const Paint& paint, std::string_view tooltip);

  Out& out_;
  bool shifted_ = false;
};

}  // namespace compmond::drawing
