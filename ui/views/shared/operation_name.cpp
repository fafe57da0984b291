// SPDX-License-Identifier: Apache-2.0
#include "ui/views/shared/operation_name.h"

#include "text/clean.h"

namespace compmond::ui {

std::string brief_operation(const std::string& name) {
  // Parameters and template arguments hold colons of their own.
  size_t end = 0, begin = 0;
  int nested = 0;
  for (; end < name.size() && (nested > 0 || name[end] != '('); ++end) {
    nested += name[end] == '<';
    nested -= name[end] == '>' && nested > 0;
    if (nested == 0 && name[end] == ':') begin = end + 1;
  }
  return begin < end ? name.substr(begin, end - begin) : name;
}
std::string short_operation(std::string_view name) {
  // Operators end in what would otherwise be taken for brackets.
  const size_t op = name.rfind("operator");
  if (op != std::string_view::npos && (op == 0 || name[op - 1] == ':')) {
    const size_t sign = op + std::string_view("operator").size();
    return text::clean(name.substr(op, name.find('(', sign + 1) - op));
  }
  // Brackets and what they hold tell overloads apart, but are too long for a line.
  std::string plain;
  int depth = 0;
  for (const char c : name) {
    if (c == '(' && depth == 0 && !plain.empty()) break;
    depth += c == '<';
    if (depth == 0) plain += c;
    depth -= c == '>' && depth > 0;
  }
  const size_t scope = plain.rfind("::");
  if (scope != std::string::npos && scope + 2 < plain.size()) plain.erase(0, scope + 2);
  return text::clean(plain.empty() ? name : std::string_view(plain));
}

}  // namespace compmond::ui
