// SPDX-License-Identifier: Apache-2.0
#include "drawing/svg.h"

#include <fmt/format.h>

#include <algorithm>

#include "text/clean.h"
#include "text/columns.h"

namespace compmond::drawing {
namespace {

constexpr double kGlyph = 0.56;  // mean advance of a sans-serif face, in its size
constexpr double kTitleSize = 16;
constexpr const char* kFace = "Inter, Helvetica, Arial, 'DejaVu Sans', sans-serif";

}  // namespace

std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : text::clean(text)) {
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

std::string hex(geometry::Rgb colour) {
  return fmt::format("#{:02x}{:02x}{:02x}", colour.r, colour.g, colour.b);
}

Svg::Svg(Out& out, double width, double height, std::string_view title) : out_(out) {
  width = std::max(width, width_of(title, kTitleSize) + 2 * kMargin);
  out_.format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"{2}\">\n<title>{3}</title>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"{4}\"/>\n",
      width, height, kFace, xml_text(title), hex(kPaper));
  text({kMargin, kMargin + 8}, title, {.size = kTitleSize});
}

void Svg::shift(geometry::Pt by) {
  out_.format("<g transform=\"translate({:.1f},{:.1f})\">\n", by.x, by.y);
  shifted_ = true;
}

void Svg::end() { out_.put(shifted_ ? "</g>\n</svg>\n" : "</svg>\n"); }

void Svg::end_shape(const char* element, const Paint& paint, std::string_view tooltip) {
  out_.format(" fill=\"{}\"", paint.fill ? hex(*paint.fill) : "none");
  if (paint.stroke) out_.format(" stroke=\"{}\"", hex(*paint.stroke));
  if (paint.stroke && paint.width != 1) out_.format(" stroke-width=\"{:.2f}\"", paint.width);
  if (paint.opacity < 1) out_.format(" opacity=\"{:.2f}\"", paint.opacity);
  if (paint.dashed) out_.put(" stroke-dasharray=\"5 4\"");
  if (tooltip.empty())
    out_.put("/>\n");
  else
    out_.format("><title>{}</title></{}>\n", xml_text(tooltip), element);
}

void Svg::rect(const geometry::Rect& rect, const Paint& paint, std::string_view tooltip) {
  out_.format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"", rect.x0,
              rect.y0, rect.width(), rect.height());
  if (paint.round > 0) out_.format(" rx=\"{:.0f}\"", paint.round);
  end_shape("rect", paint, tooltip);
}

void Svg::line(const std::vector<geometry::Pt>& points, const Paint& paint) {
  out_.put("<polyline points=\"");
  for (size_t i = 0; i < points.size(); ++i)
    out_.format("{}{:.1f},{:.1f}", i == 0 ? "" : " ", points[i].x, points[i].y);
  out_.put("\"");
  end_shape("polyline", paint, {});
}

void Svg::curve(const geometry::Curve& curve, const Paint& paint, std::string_view tooltip) {
  out_.put("<path d=\"");
  for (size_t i = 0; i < curve.size(); ++i)
    out_.format("{}{:.1f},{:.1f}", i == 0 ? "M" : i == 1 ? " C" : " ", curve[i].x, curve[i].y);
  out_.put("\"");
  end_shape("path", paint, tooltip);
}

void Svg::head(const geometry::ArrowHead& corners, geometry::Rgb fill) {
  out_.put("<polygon points=\"");
  for (const geometry::Pt& at : corners) out_.format("{:.1f},{:.1f} ", at.x, at.y);
  out_.put("\"");
  end_shape("polygon", {.fill = fill}, {});
}

double Svg::width_of(std::string_view text, double size) {
  return double(text::columns(text)) * size * kGlyph;
}

void Svg::text(geometry::Pt at, std::string_view text, const Words& words) {
  const std::string whole = text::clean(text);
  std::string shown = whole;
  if (words.room > 0 && width_of(whole, words.size) > words.room)
    shown = text::ellipsized(whole, size_t(words.room / (words.size * kGlyph)), "…");
  if (shown.empty()) return;
  const char* anchor = words.anchor == Words::Anchor::kStart    ? ""
                       : words.anchor == Words::Anchor::kMiddle ? " text-anchor=\"middle\""
                                                                : " text-anchor=\"end\"";
  out_.format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:.0f}\" fill=\"{}\"{}>{}", at.x, at.y,
              words.size, hex(words.fill), anchor, xml_text(shown));
  if (shown != whole) out_.format("<title>{}</title>", xml_text(whole));
  out_.put("</text>\n");
}

}  // namespace compmond::drawing
