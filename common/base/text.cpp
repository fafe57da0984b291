// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <algorithm>
#include <cstdint>

namespace compmond {
namespace {

constexpr uint32_t kIllFormed = 0xfffd;

struct CodePoint {
  uint32_t code;
  size_t bytes;
};

CodePoint front(std::string_view text) {
  const auto lead = uint8_t(text[0]);
  if (lead < 0x80) return {lead, 1};
  const size_t bytes = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  if (bytes == 0 || text.size() < bytes) return {kIllFormed, 1};
  uint32_t code = lead & (0xff >> (bytes + 1));
  for (size_t i = 1; i < bytes; ++i) {
    if ((uint8_t(text[i]) & 0xc0) != 0x80) return {kIllFormed, 1};
    code = code << 6 | (uint8_t(text[i]) & 0x3f);
  }
  const bool overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (overlong || surrogate || code > 0x10ffff) return {kIllFormed, 1};
  return {code, bytes};
}

bool is_control(uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x200b && c <= 0x200f) ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x2069) || c == 0xfeff;
}

// Bytes of the escape sequence that begins at the ESC in front: CSI, OSC with its end, or ESC and
// one character.
size_t escape_length(std::string_view text) {
  if (text.size() < 2) return 1;
  if (text[1] == '[') {
    const size_t end =
        std::find_if(text.begin() + 2, text.end(), [](char c) { return c >= 0x40 && c <= 0x7e; }) -
        text.begin();
    return end == text.size() ? 1 : end + 1;
  }
  if (text[1] == ']') {
    const size_t bell = text.find('\a');
    if (bell != std::string_view::npos) return bell + 1;
    const size_t end = text.find("\x1b\\", 2);
    return end == std::string_view::npos ? 1 : end + 2;
  }
  return 2;
}

// Bytes of the first `count` code points.
size_t prefix(std::string_view text, size_t count) {
  size_t at = 0;
  while (at < text.size() && count-- > 0) at += front(text.substr(at)).bytes;
  return at;
}

}  // namespace

std::string clean(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    if (text[0] == '\x1b') {
      text.remove_prefix(escape_length(text));
      continue;
    }
    const CodePoint c = front(text);
    if (c.code == kIllFormed)
      out += "\uFFFD";
    else if (!is_control(c.code))
      out += text.substr(0, c.bytes);
    text.remove_prefix(c.bytes);
  }
  return out;
}

size_t columns(std::string_view text) {
  size_t count = 0;
  for (size_t at = 0; at < text.size(); ++count) at += front(text.substr(at)).bytes;
  return count;
}

std::string ellipsized(std::string_view text, size_t width, std::string_view ellipsis) {
  const size_t all = columns(text);
  if (all <= width) return std::string(text);
  const size_t mark = columns(ellipsis);
  if (width <= mark) return std::string(text.substr(0, prefix(text, width)));
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

}  // namespace compmond
