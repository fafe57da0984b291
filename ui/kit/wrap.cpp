// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <string>

#include "ui/kit/draw.h"

namespace compmond::ui {

std::string wrapped(ImFont* font, std::string_view text, float width) {
  std::string out, line;
  while (!text.empty()) {
    // A word with the blanks before it.
    const size_t end = text.find_first_of(" \n", text.find_first_not_of(' '));
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(word.size());
    if (!line.empty() && text_size(font, line + std::string(word)).x > width) {
      out += line + '\n';
      line = word.substr(std::min(word.size(), word.find_first_not_of(' ')));
    } else {
      line += word;
    }
    if (!text.starts_with('\n')) continue;
    out += line + '\n';
    line.clear();
    text.remove_prefix(1);
  }
  return out + line;
}

float draw_wrapped(ImDrawList* list, ImFont* font, ImVec2 at, ImU32 colour, std::string_view text,
                   float width) {
  const std::string lines = wrapped(font, text, width);
  const char *begin = lines.data(), *end = begin + lines.size();
  // A word that is wider than all that is there is broken all the same.
  list->AddText(font, font->FontSize, {std::round(at.x), std::round(at.y)}, colour, begin, end,
                width);
  return font->CalcTextSizeA(font->FontSize, FLT_MAX, width, begin, end).y;
}

}  // namespace compmond::ui
