// SPDX-License-Identifier: Apache-2.0
#include "names/wildcard.h"

namespace compmond::names {

bool wildcard_match(std::string_view pattern, std::string_view text) {
  constexpr size_t kNone = std::string_view::npos;
  size_t p = 0, t = 0;
  size_t star = kNone, taken = 0;  // the last star, and the end of what it stands for
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != kNone) {
      // Earlier stars need no second try: the shortest fit of each leaves the most for the rest.
      p = star + 1;
      t = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace compmond::names
