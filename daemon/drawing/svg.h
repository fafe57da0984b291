// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/out.h"
#include "base/result.h"
#include "traces/call_tree.h"
#include "traces/dependency_graph.h"
#include "traces/sequence.h"

namespace compmond::drawing {

// `text` for an XML text or attribute; what XML or a reader's eyes cannot take is left out.
std::string xml_text(std::string_view text);

// Shapes of one SVG document, in pixels. Everything it is given is escaped.
class Svg {
 public:
  enum class Anchor { kStart, kMiddle, kEnd };
  Svg(Out& out, double width, double height, std::string_view title);
  void end();

  void rect(double x, double y, double width, double height, std::string_view fill,
            std::string_view tooltip = {});
  void line(double x1, double y1, double x2, double y2, std::string_view stroke,
            std::string_view more = {});  // `more`: further attributes, as they are
  void polygon(std::string_view points, std::string_view fill);
  // Cut to `room` pixels where that is not 0; then the whole text is its tooltip.
  void text(double x, double y, std::string_view text, double size = 12,
            Anchor anchor = Anchor::kStart, double room = 0, std::string_view fill = "#1a202c");
  // About how wide a text is, without a font to measure it with.
  static double width_of(std::string_view text, double size);

 private:
  Out& out_;
};

// Each fails with Exit::kData where the result would be too large to be looked at.
Result<void> write_svg(Out& out, const traces::Sequence& sequence);
Result<void> write_svg(Out& out, const traces::TraceTiming& timing);
// A line per node, indented by depth, beside a bar of its raw and real time.
Result<void> write_svg_tree(Out& out, const traces::CallTree& tree);
// The aggregated tree as a flame graph: width is raw time, the root at the bottom.
Result<void> write_svg_flame(Out& out, const traces::CallTree& tree);
Result<void> write_svg_matrix(Out& out, const traces::DependencyGraph& graph);

}  // namespace compmond::drawing
