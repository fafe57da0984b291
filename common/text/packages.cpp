// SPDX-License-Identifier: Apache-2.0
#include "text/packages.h"

namespace compmond::text {
namespace {

bool is_small(char c) { return c >= 'a' && c <= 'z'; }
bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

bool is_package(std::string_view part) {
  return !part.empty() && is_small(part[0]) && part.find_first_of(":(<>/&*") == part.npos;
}

}  // namespace

std::vector<size_t> without_packages(std::string_view name) {
  std::vector<size_t> out;
  const size_t parameters = name.find('(');
  size_t at = name.rfind(' ', parameters);
  at = at == name.npos ? 0 : at + 1;
  for (;;) {
    const size_t dot = name.find('.', at);
    if (dot == name.npos || dot + 1 >= name.size() || dot > parameters) return {};
    if (!is_package(name.substr(at, dot - at))) return {};
    at = dot + 1;
    out.push_back(at);
    if (is_capital(name[at])) return out;
  }
}

}  // namespace compmond::text
