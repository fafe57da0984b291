// SPDX-License-Identifier: Apache-2.0
#include "ui/views/shared/operation_name.h"

#include "text/clean.h"
#include "text/match.h"

namespace compmond::ui {

std::string short_operation(std::string_view name) {
  // Operators end in what would otherwise be taken for brackets.
  const size_t op = name.rfind("operator");
  if (op != std::string_view::npos && (op == 0 || name[op - 1] == ':')) {
    const size_t sign = op + std::string_view("operator").size();
    return text::clean(name.substr(op, name.find('(', sign + 1) - op));
  }
  // Brackets and what they hold tell overloads apart, but are too long for a line. Java's
  // constructors are called "<init>()".
  const bool is_constructor = name.starts_with("<init>") || name.starts_with("<clinit>");
  std::string plain(name.substr(0, is_constructor ? name.find('>') + 1 : 0));
  int depth = 0;
  for (const char c : name.substr(plain.size())) {
    if (c == '(' && depth == 0 && !plain.empty()) break;
    depth += c == '<';
    if (depth == 0) plain += c;
    depth -= c == '>' && depth > 0;
  }
  const size_t scope = plain.rfind("::");
  if (scope != std::string::npos && scope + 2 < plain.size()) plain.erase(0, scope + 2);
  return text::clean(plain.empty() ? name : std::string_view(plain));
}

std::string full_name(std::string_view component, std::string_view operation) {
  return text::clean(text::leaf(component)) + "  " + short_operation(operation);
}

std::string exit_words(const snapshot::Operation& operation) {
  const std::string mode = operation.exit_mode.text();
  std::string out = mode;
  if (!operation.engine.empty()) out += " by " + text::clean(operation.engine);
  std::string_view reason = operation.reason;
  // Some reasons name the exit mode themselves.
  if (reason.starts_with(mode + ": ")) reason.remove_prefix(mode.size() + 2);
  return reason.empty() ? out : out + ": " + text::clean(reason);
}

}  // namespace compmond::ui
