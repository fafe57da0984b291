// SPDX-License-Identifier: Apache-2.0
#include "terminal/table.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "base/result.h"
#include "terminal/parts.h"
#include "text/columns.h"

namespace compmond::terminal {
namespace {

constexpr size_t kLeastBody = 6;  // titles, some components, and the line that counts the others

// Fits everything into `height` rows: first without blank lines, then with fewer components, then
// without the legend.
Lines fitted(Lines head, Lines body, Lines legend, Lines foot, const Style& style) {
  const size_t height = style.height > 0 ? size_t(style.height) : SIZE_MAX;
  const size_t fixed = head.size() + foot.size();
  const bool airy = fixed + body.size() + legend.size() + 2 <= height;
  if (!airy && fixed + legend.size() + kLeastBody > height) legend.clear();
  const size_t room = height - std::min(height, fixed + legend.size());
  if (body.size() > room) {
    const size_t kept = room > 0 ? room - 1 : 0;  // the last line says what is missing
    const size_t hidden = body.size() - kept - (kept == 0 ? 1 : 0);
    body.resize(kept);
    if (room > 0)
      body.push_back(paint(style, Ink::kQuiet,
                           fmt::format("{} {} more components; the terminal is too low",
                                       text::ellipsis(style.unicode), hidden)));
  }
  Lines out = std::move(head);
  if (airy) out.emplace_back();
  append(out, std::move(body));
  if (airy) out.emplace_back();
  append(out, std::move(legend));
  append(out, std::move(foot));
  if (out.size() > height) out.erase(out.begin(), out.end() - std::ptrdiff_t(height));
  return out;
}

}  // namespace

std::string table(const snapshot::Snapshot& snapshot, const Style& style) {
  const size_t width = layout_width(style);
  std::string out;
  for (const std::string& line :
       fitted(header(snapshot, style, width), components(snapshot, style, width),
              legend(snapshot, style, width), health(snapshot, style, width), style))
    out += line + "\n";
  return out;
}

}  // namespace compmond::terminal
