// SPDX-License-Identifier: Apache-2.0
#include "text/columns.h"

#include "text/packages.h"
#include "text/utf8.h"

namespace compmond::text {
namespace {

// Bytes of the first `count` code points.
size_t prefix(std::string_view text, size_t count) {
  size_t at = 0;
  while (at < text.size() && count-- > 0) at += front(text.substr(at)).bytes;
  return at;
}

constexpr std::string_view kArrow = " → ";
constexpr size_t kLeastOfBoth = 15;  // columns for which two names are worth to be told

// The longer of the two gives way first.
std::string both_ellipsized(std::string_view from, std::string_view to, size_t width,
                            std::string_view ellipsis) {
  const size_t room = width - columns(kArrow), half = room / 2;
  const size_t left = columns(from), right = columns(to);
  const size_t first = left <= half ? left : right <= room - half ? room - right : half;
  return ellipsized(from, first, ellipsis)
      .append(kArrow)
      .append(ellipsized(to, room - first, ellipsis));
}

}  // namespace

size_t columns(std::string_view text) {
  size_t count = 0;
  for (size_t at = 0; at < text.size(); ++count) at += front(text.substr(at)).bytes;
  return count;
}

std::string ellipsized(std::string_view text, size_t width, std::string_view ellipsis) {
  const size_t all = columns(text);
  if (all <= width) return std::string(text);
  if (const size_t arrow = text.find(kArrow);
      arrow != std::string_view::npos && width >= kLeastOfBoth)
    return both_ellipsized(text.substr(0, arrow), text.substr(arrow + kArrow.size()), width,
                           ellipsis);
  const size_t mark = columns(ellipsis);
  if (width <= mark) return std::string(text.substr(0, prefix(text, width)));
  if (const auto begins = without_packages(text); !begins.empty()) {
    const std::string before(text.substr(0, text.rfind(' ', begins[0]) + 1));  // "→ ", or nothing
    for (const size_t begin : begins)
      if (columns(before) + mark + columns(text.substr(begin)) <= width)
        return before + std::string(ellipsis).append(text.substr(begin));
    return ellipsized(before + std::string(text.substr(begins.back())), width, ellipsis);
  }
  const size_t kept = width - mark;
  const size_t tail = kept / 2;
  return std::string(text.substr(0, prefix(text, kept - tail)))
      .append(ellipsis)
      .append(text.substr(prefix(text, all - tail)));
}

std::string cut(std::string_view text, size_t width, std::string_view ellipsis) {
  if (columns(text) <= width) return std::string(text);
  const size_t mark = columns(ellipsis);
  const std::string kept(text.substr(0, prefix(text, width > mark ? width - mark : width)));
  return width > mark ? kept + std::string(ellipsis) : kept;
}

std::string cut_front(std::string_view text, size_t width, std::string_view ellipsis) {
  const size_t all = columns(text), mark = columns(ellipsis);
  if (all <= width) return std::string(text);
  const size_t kept = width > mark ? width - mark : width;
  return std::string(width > mark ? ellipsis : "").append(text.substr(prefix(text, all - kept)));
}

std::string padded(std::string_view text, size_t width, bool right) {
  const size_t used = columns(text);
  const std::string blank(width > used ? width - used : 0, ' ');
  return right ? blank + std::string(text) : std::string(text) + blank;
}

std::string ascii(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const CodePoint c = front(text);
    switch (c.code) {
      case 0xb5:  // micro
        out += 'u';
        break;
      case 0xb7:    // middle dot
      case 0x2013:  // en dash
        out += '-';
        break;
      case 0x3a3:  // sigma
        out += '+';
        break;
      case 0x25cf:  // circle
        out += '*';
        break;
      case 0x2265:  // greater or equal
      case 0x25b8:  // triangle
      case 0x2192:  // arrow
        out += '>';
        break;
      case 0x25d0:  // half circle
        out += '%';
        break;
      case 0x25b2:  // triangle that points up
        out += 'x';
        break;
      case 0x2264:  // at most
        out += '<';
        break;
      default:
        out += c.code < 0x80 ? char(c.code) : '?';
    }
    text.remove_prefix(c.bytes);
  }
  return out;
}

}  // namespace compmond::text
