// SPDX-License-Identifier: Apache-2.0
#include "text/clean.h"

#include <fmt/format.h>

#include <algorithm>

#include "text/utf8.h"

namespace compmond::text {
namespace {

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

}  // namespace

bool has_control(std::string_view text) {
  while (!text.empty()) {
    const CodePoint c = front(text);
    if (is_control(c.code)) return true;
    text.remove_prefix(c.bytes);
  }
  return false;
}

std::string clean(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    if (text[0] == '\x1b') {
      text.remove_prefix(escape_length(text));
      continue;
    }
    const CodePoint c = front(text);
    if (!c.well_formed)
      out += "\uFFFD";
    else if (!is_control(c.code))
      out += text.substr(0, c.bytes);
    text.remove_prefix(c.bytes);
  }
  return out;
}

std::string printable(std::string_view text, size_t limit) {
  std::string out;
  while (!text.empty()) {
    const CodePoint c = front(text);
    if (out.size() + c.bytes > limit) return out + "…";
    if (!c.well_formed)
      out += fmt::format("\\x{:02x}", uint8_t(text[0]));
    else if (is_control(c.code))
      out += fmt::format("\\u{:04x}", c.code);
    else
      out += text.substr(0, c.bytes);
    text.remove_prefix(c.bytes);
  }
  return out;
}

}  // namespace compmond::text
