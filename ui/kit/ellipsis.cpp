// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "text/packages.h"
#include "text/utf8.h"
#include "ui/kit/draw.h"

namespace compmond::ui {
namespace {

constexpr const char* kEllipsis = "…";

// What is kept of a text: its beginning and its end.
using Kept = std::pair<std::string_view, std::string_view>;

// The widest that fits, of which `tail_share` is from the end; never within a character.
Kept kept(ImFont* font, std::string_view text, float room, double tail_share) {
  const auto cut = [&](size_t bytes) {
    const auto from_end = size_t(double(bytes) * tail_share);
    size_t head = bytes - from_end, tail = text.size() - from_end;
    while (head > 0 && text::continues(text[head])) --head;
    while (tail < text.size() && text::continues(text[tail])) ++tail;
    return Kept{text.substr(0, head), text.substr(tail)};
  };
  size_t low = 0, high = text.size();
  while (low + 1 < high) {
    const size_t middle = (low + high) / 2;
    const auto [head, tail] = cut(middle);
    (text_size(font, head).x + text_size(font, tail).x <= room ? low : high) = middle;
  }
  return cut(low);
}

bool of_another(const Kept& kept, std::string_view text, std::span<const std::string> others) {
  return std::ranges::any_of(others, [&](const std::string& other) {
    return other != text && other.size() > kept.first.size() + kept.second.size() &&
           other.starts_with(kept.first) && other.ends_with(kept.second);
  });
}

// Where the text differs from that of the others which it shares most with.
size_t differs_at(std::string_view text, std::span<const std::string> others) {
  size_t at = 0;
  for (const std::string& other : others)
    if (other != text)
      at = std::max(at, size_t(std::ranges::mismatch(text, other).in1 - text.begin()));
  while (at > 0 && at < text.size() && text::continues(text[at])) --at;
  return at;
}

std::string class_alone(std::string_view text, std::span<const size_t> begins) {
  if (begins.empty()) return std::string(text);
  const size_t before = text.rfind(' ', begins[0]) + 1;  // 0 where there is no blank
  return std::string(text.substr(0, before)).append(text.substr(begins.back()));
}

// As few packages as possible give way, then the middle of the class. Empty where another one is
// only in another package.
std::string class_ellipsized(ImFont* font, std::string_view text, std::span<const size_t> begins,
                             float width, std::span<const std::string> others) {
  const std::string_view before = text.substr(0, text.rfind(' ', begins[0]) + 1);
  for (const size_t begin : begins) {
    const std::string shown = std::string(before).append(kEllipsis).append(text.substr(begin));
    if (text_size(font, shown).x <= width &&
        !of_another({before, text.substr(begin - 1)}, text, others))
      return shown;
  }
  const std::string alone = class_alone(text, begins);
  std::vector<std::string> classes;
  for (const std::string& other : others) {
    classes.push_back(class_alone(other, text::without_packages(other)));
    if (other != text && classes.back() == alone) return {};
  }
  return ellipsized(font, alone, width, classes);
}

}  // namespace

std::string ellipsized(ImFont* font, std::string_view text, float width,
                       std::span<const std::string> others) {
  if (text_size(font, text).x <= width) return std::string(text);
  const float mark = text_size(font, kEllipsis).x, room = width - mark;
  if (room <= 0) return {};
  if (const auto begins = text::without_packages(text); !begins.empty())
    if (std::string shown = class_ellipsized(font, text, begins, width, others); !shown.empty())
      return shown;
  for (const double tail_share : {0.5, 0.25, 0.75, 0.0, 1.0}) {
    const Kept both = kept(font, text, room, tail_share);
    if (!of_another(both, text, others))
      return std::string(both.first) + kEllipsis + std::string(both.second);
  }
  // They begin and end alike: what is between is shown.
  const std::string_view rest = text.substr(differs_at(text, others));
  if (text_size(font, rest).x <= room) return kEllipsis + std::string(rest);
  return kEllipsis + std::string(kept(font, rest, room - mark, 0).first) + kEllipsis;
}

}  // namespace compmond::ui
