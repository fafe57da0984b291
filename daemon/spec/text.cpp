// SPDX-License-Identifier: Apache-2.0
#include "spec/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace compmond::spec {
namespace {

constexpr uint32_t kIllFormed = 0xffffffff;
constexpr size_t kComparedBytes =
    64;  // comparing costs the product of both lengths, for every known word

// Decodes one code point at the front and removes it; an ill-formed byte gives kIllFormed.
uint32_t take(std::string_view& text) {
  const auto lead = uint8_t(text[0]);
  const size_t length = lead < 0x80   ? 1
                        : lead < 0xc2 ? 0
                        : lead < 0xe0 ? 2
                        : lead < 0xf0 ? 3
                        : lead < 0xf5 ? 4
                                      : 0;
  uint32_t code = length == 1 ? lead : length == 0 ? kIllFormed : lead & (0xff >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if (i >= text.size() || (uint8_t(text[i]) & 0xc0) != 0x80) {
      text.remove_prefix(1);
      return kIllFormed;
    }
    code = code << 6 | (uint8_t(text[i]) & 0x3f);
  }
  text.remove_prefix(std::max<size_t>(length, 1));
  return code;
}

bool is_control(uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x2028 && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069);
}

// Edits (insert, delete, replace, swap neighbours) that lead from one word to the other.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), size_t(0));
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last[b.size()];
}

}  // namespace

std::string printable(std::string_view text, size_t limit) {
  std::string out;
  while (!text.empty()) {
    const std::string_view rest = text;
    const uint32_t code = take(text);
    if (out.size() + (rest.size() - text.size()) > limit) return out + "…";
    if (code == kIllFormed)
      out += fmt::format("\\x{:02x}", uint8_t(rest[0]));
    else if (is_control(code))
      out += fmt::format("\\u{:04x}", code);
    else
      out += rest.substr(0, rest.size() - text.size());
  }
  return out;
}

std::string pointer_part(std::string_view key) {
  std::string out;
  for (char c : printable(key)) {
    if (c == '~')
      out += "~0";
    else if (c == '/')
      out += "~1";
    else
      out += c;
  }
  return out;
}

bool has_control(std::string_view text) {
  while (!text.empty())
    if (is_control(take(text))) return true;
  return false;
}

std::string nearest(std::string_view text, std::span<const std::string_view> known) {
  std::string_view best;
  size_t least = std::max<size_t>(2, text.size() / 3) + 1;
  for (std::string_view word : known) {
    if (std::max(text.size(), word.size()) > kComparedBytes) continue;
    const size_t edits = distance(text, word);
    if (edits < least && edits < word.size()) {
      least = edits;
      best = word;
    }
  }
  return std::string(best);
}

std::string listed(std::span<const std::string_view> words) {
  std::string out;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " and " : ", ";
    out += words[i];
  }
  return out;
}

}  // namespace compmond::spec
