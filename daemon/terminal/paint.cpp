// SPDX-License-Identifier: Apache-2.0
#include "terminal/paint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "text/columns.h"

namespace compmond::terminal {
namespace {

// From a grey that keeps back to a red that calls, of even lightness so that both dark and light
// terminals show it.
constexpr std::array<int, kHeatSteps> kHeatColours{244, 138, 174, 167, 203, 196};
constexpr size_t kMostLines = 3;  // of a segment, or a little more: a note may be of any length

std::string code_of(Ink ink) {
  switch (ink) {
    case Ink::kPlain:
      return "";
    case Ink::kTitle:
      return "1";
    case Ink::kQuiet:
      return "2";
    case Ink::kGood:
      return "32";
    case Ink::kAmber:
      return "38;5;214";
    case Ink::kRed:
      return "38;5;203";
    case Ink::kLoud:
      return "1;97;41";
    default:
      return fmt::format("38;5;{}", kHeatColours[size_t(ink) - size_t(Ink::kHeat)]);
  }
}

}  // namespace

int heat_step(double hotness) {
  const double h = std::clamp(std::isfinite(hotness) ? hotness : 0.0, 0.0, 100.0);
  const double c = h * h / 100 * 255 / 100;
  return std::min(kHeatSteps - 1, int(c / (255.0 / kHeatSteps)));
}

std::string paint(const Style& style, Ink ink, std::string_view text) {
  const std::string code = style.colour && !text.empty() ? code_of(ink) : "";
  return code.empty() ? std::string(text) : fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

text::Look look_of(const Style& style) {
  return {style.unicode,
          [style](Ink ink, std::string_view text) { return paint(style, ink, text); }};
}

std::string bar(const Style& style, double hotness, size_t width) {
  static constexpr std::array<const char*, 8> kEighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double share = std::clamp(std::isfinite(hotness) ? hotness : 0.0, 0.0, 100.0) / 100;
  if (!style.unicode) return std::string(size_t(std::lround(share * double(width))), '#');
  size_t eighths = size_t(std::lround(share * double(width) * 8));
  if (share > 0) eighths = std::max<size_t>(eighths, 1);
  std::string out;
  for (size_t i = 0; i < eighths / 8; ++i) out += "█";
  return out + kEighths[eighths % 8];
}

std::vector<std::string> wrapped(const Style& style, const Segment& segment, size_t indent,
                                 size_t width) {
  const std::string text = style.unicode ? segment.text : text::ascii(segment.text);
  std::vector<std::string> rows;
  for (size_t at = 0; at < text.size();) {
    const size_t blank = std::min(text.find(' ', at), text.size());
    const std::string word = text::ellipsized(text.substr(at, blank - at), width - indent,
                                              text::ellipsis(style.unicode));
    at = blank + 1;
    if (word.empty()) continue;
    if (!rows.empty() && text::columns(rows.back()) + 1 + text::columns(word) <= width - indent)
      rows.back() += " " + word;
    else
      rows.push_back(word);
  }
  for (std::string& row : rows) row = std::string(indent, ' ') + paint(style, segment.ink, row);
  return rows;
}

std::vector<std::string> flow(const Style& style, const std::vector<Segment>& segments,
                              size_t width) {
  const std::string between = style.unicode ? " · " : " - ";
  std::vector<std::string> lines;
  size_t used = 0;
  for (const Segment& segment : segments) {
    const std::string text = style.unicode ? segment.text : text::ascii(segment.text);
    const size_t needed = text::columns(text);
    if (needed > width) {
      const std::string most =
          text::ellipsized(text, kMostLines * width, text::ellipsis(style.unicode));
      std::ranges::move(wrapped(style, {most, segment.ink}, 0, width), std::back_inserter(lines));
      used = width;
      continue;
    }
    if (lines.empty() || used + 3 + needed > width) {
      lines.emplace_back();
      used = 0;
    } else {
      lines.back() += paint(style, Ink::kQuiet, between);
      used += 3;
    }
    lines.back() += paint(style, segment.ink, text);
    used += needed;
  }
  return lines;
}

}  // namespace compmond::terminal
