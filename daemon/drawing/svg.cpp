// SPDX-License-Identifier: Apache-2.0
#include "drawing/svg.h"

#include "base/text.h"

namespace compmond::drawing {
namespace {

constexpr double kGlyph = 0.56;  // mean advance of a sans-serif face, in its size
constexpr const char* kFace = "Inter, Helvetica, Arial, 'DejaVu Sans', sans-serif";

}  // namespace

std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : clean(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

Svg::Svg(Out& out, double width, double height, std::string_view title) : out_(out) {
  out_.format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"{2}\">\n<title>{3}</title>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      width, height, kFace, xml_text(title));
}

void Svg::end() { out_.put("</svg>\n"); }

void Svg::rect(double x, double y, double width, double height, std::string_view fill,
               std::string_view tooltip) {
  out_.format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"2\" "
      "fill=\"{}\"",
      x, y, width, height, fill);
  if (tooltip.empty())
    out_.put("/>\n");
  else
    out_.format("><title>{}</title></rect>\n", xml_text(tooltip));
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view stroke,
               std::string_view more) {
  out_.format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" {}/>\n",
              x1, y1, x2, y2, stroke, more);
}

void Svg::polygon(std::string_view points, std::string_view fill) {
  out_.format("<polygon points=\"{}\" fill=\"{}\"/>\n", points, fill);
}

double Svg::width_of(std::string_view text, double size) {
  return double(columns(text)) * size * kGlyph;
}

void Svg::text(double x, double y, std::string_view text, double size, Anchor anchor, double room,
               std::string_view fill) {
  const std::string whole = clean(text);
  std::string shown = whole;
  if (room > 0 && width_of(whole, size) > room)
    shown = ellipsized(whole, size_t(room / (size * kGlyph)), "…");
  if (shown.empty()) return;
  const char* at = anchor == Anchor::kStart    ? ""
                   : anchor == Anchor::kMiddle ? " text-anchor=\"middle\""
                                               : " text-anchor=\"end\"";
  out_.format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:.0f}\" fill=\"{}\"{}>{}", x, y, size,
              fill, at, xml_text(shown));
  if (shown != whole) out_.format("<title>{}</title>", xml_text(whole));
  out_.put("</text>\n");
}

}  // namespace compmond::drawing
