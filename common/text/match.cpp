// SPDX-License-Identifier: Apache-2.0
#include "text/match.h"

#include <algorithm>

namespace compmond::text {
namespace {

char lowered(char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; }

bool same_letter(char a, char b) { return lowered(a) == lowered(b); }

}  // namespace

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), lowered);
  return out;
}

bool same(std::string_view one, std::string_view other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(), same_letter);
}

bool contains(std::string_view text, std::string_view part) {
  return part.empty() ||
         std::search(text.begin(), text.end(), part.begin(), part.end(), same_letter) != text.end();
}

std::string_view leaf(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

bool inside(std::string_view path, std::string_view around) {
  return path.starts_with(around) && (path.size() == around.size() || path[around.size()] == '/');
}

}  // namespace compmond::text
