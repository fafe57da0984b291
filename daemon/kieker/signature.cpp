// SPDX-License-Identifier: Apache-2.0
#include "kieker/signature.h"

#include <fmt/format.h>

namespace compmond::kieker {
namespace {

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Type names without their packages: "java.util.Map<java.lang.String>" -> "Map<String>".
std::string without_packages(std::string_view types) {
  std::string out;
  size_t word = 0;  // where the current type's name begins in `out`
  for (const char c : types) {
    if (c == '.') {
      out.resize(word);
      continue;
    }
    out += c;
    if (c == ',' || c == ' ' || c == '<' || c == '>' || c == '[' || c == ']') word = out.size();
  }
  return out;
}

std::string replaced(std::string_view text, std::string_view unsafe) {
  std::string out;
  for (const char c : text)
    out += unsafe.find(c) != std::string_view::npos || uint8_t(c) < 0x20 ? '_' : c;
  return out;
}

}  // namespace

KiekerSignature parse_signature(std::string_view text) {
  KiekerSignature out;
  const size_t open = text.find('(');
  if (open != std::string_view::npos) {
    const size_t close = text.rfind(')');
    const size_t end = close == std::string_view::npos || close < open ? text.size() : close;
    out.parameters = trimmed(text.substr(open + 1, end - open - 1));
  }
  std::string_view name = trimmed(text.substr(0, open));
  if (const size_t space = name.rfind(' '); space != std::string_view::npos)
    name.remove_prefix(space + 1);
  const size_t dot = name.rfind('.');
  out.class_name = dot == std::string_view::npos ? std::string_view() : name.substr(0, dot);
  out.method = dot == std::string_view::npos ? name : name.substr(dot + 1);
  return out;
}

std::string KiekerSignature::short_name() const {
  return fmt::format("{}({})", method, parameters.empty() ? "" : "..");
}

std::string KiekerSignature::long_name() const {
  return fmt::format("{}({})", method, without_packages(parameters));
}

std::string make_signature(const traces::TracedOperation& operation) {
  std::string component = replaced(operation.component, " ();\\\t");
  for (char& c : component)
    if (c == '/') c = '.';
  // Where parameters follow the name, they stay: the last parenthesis that closes at the end.
  std::string_view name = operation.name, parameters;
  if (!name.empty() && name.back() == ')') {
    size_t open = name.size() - 1;
    for (int depth = 0;; --open) {
      depth += name[open] == ')' ? 1 : name[open] == '(' ? -1 : 0;
      if (depth == 0 || open == 0) break;
    }
    if (open > 0) {
      parameters = name.substr(open + 1, name.size() - open - 2);
      name = name.substr(0, open);
    }
  }
  return fmt::format("{}.{}({})", component, replaced(name, " ();\\.\t"),
                     replaced(parameters, "();\\\t"));
}

}  // namespace compmond::kieker
