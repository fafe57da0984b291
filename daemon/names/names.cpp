// SPDX-License-Identifier: Apache-2.0
#include "names/names.h"

#include <algorithm>

namespace compmond::names {
namespace {

constexpr auto kNone = std::string_view::npos;

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == kNone;
}

std::optional<Derived> suffix_kind(std::string_view word) {
  if (word == "cold") return Derived::kCold;
  for (const std::string_view clone : {"constprop", "isra", "clone", "simdclone", "specialized"})
    if (word == clone) return Derived::kClone;
  if (word == "part") return Derived::kPart;
  for (const std::string_view renamed : {"lto_priv", "llvm", "localalias", "__uniq"})
    if (word == renamed) return Derived::kRenamed;
  return std::nullopt;
}

// " const &", " noexcept", and wildcards of patterns.
bool is_qualifiers(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || c == ' ' || c == '&' || c == '*' || c == '?';
  });
}

// The parenthesis that the one at `close` closes.
size_t opening(std::string_view text, size_t close) {
  int depth = 0;
  for (size_t i = close + 1; i-- > 0;) {
    if (text[i] == ')') ++depth;
    if (text[i] == '(' && --depth == 0) return i;
  }
  return kNone;
}

}  // namespace

Signature split_signature(std::string_view demangled) {
  const std::string_view text = without_clone_note(demangled);
  const Signature whole{text, {}, {}};
  const size_t close = text.rfind(')');
  if (close == kNone || !is_qualifiers(text.substr(close + 1))) return whole;
  const size_t open = opening(text, close);
  if (open == kNone || open == 0) return whole;
  const std::string_view name = text.substr(0, open);
  if (close == open + 1 && name.ends_with("operator")) return whole;
  if (name.ends_with("::") || name.ends_with('<')) return whole;  // (anonymous namespace), a cast
  std::string_view qualifiers = text.substr(close + 1);
  while (qualifiers.starts_with(' ')) qualifiers.remove_prefix(1);
  return {name, text.substr(open, close + 1 - open), qualifiers};
}

std::string_view last_component(std::string_view name) {
  int depth = 0;
  for (size_t i = name.size(); i-- > 0;) {
    const char c = name[i];
    if (c == '>' || c == ')' || c == '}') ++depth;
    if (c == '<' || c == '(' || c == '{') --depth;
    if (depth <= 0 && c == ':' && i > 0 && name[i - 1] == ':') return name.substr(i + 1);
  }
  return name;
}

std::string without_rust_brackets(std::string_view name) {
  const auto closing = [&](size_t open) {
    int depth = 0;
    for (size_t i = open; i < name.size(); ++i) {
      if (name[i] == '<') ++depth;
      if (name[i] == '>' && name[i - 1] != '-' && --depth == 0) return i;  // "->" is of a type
    }
    return kNone;
  };
  std::string out;
  size_t at = 0;
  if (name.starts_with('<')) {
    const size_t close = closing(0);
    if (close == kNone || close == 0) return std::string(name);
    const std::string_view type = name.substr(1, close - 1);
    out = type.substr(0, type.find(" as "));
    at = close + 1;
  }
  for (size_t open; (open = name.find("::<", at)) != kNone;) {
    const size_t close = closing(open + 2);
    if (close == kNone) break;
    out += name.substr(at, open - at);
    at = close + 1;
  }
  return out += name.substr(at);
}

std::string_view without_abi_tags(std::string_view name) {
  while (name.ends_with(']')) {
    const size_t tag = name.rfind("[abi:");
    if (tag == kNone) break;
    name = name.substr(0, tag);
  }
  return name;
}

std::optional<DerivedName> derived_name(std::string_view raw) {
  std::optional<DerivedName> derived;
  for (size_t end = raw.size();;) {
    const size_t dot = end == 0 ? kNone : raw.rfind('.', end - 1);
    if (dot == kNone || dot == 0) return derived;
    const std::string_view word = raw.substr(dot + 1, end - dot - 1);
    end = dot;
    if (is_number(word)) continue;
    const auto kind = suffix_kind(word);
    if (!kind) return derived;
    // With several suffixes the one that says most decides: a cold part of a clone is a cold part.
    derived = DerivedName{raw.substr(0, dot), derived ? std::max(derived->kind, *kind) : *kind};
  }
}

std::string_view without_clone_note(std::string_view demangled) {
  return demangled.substr(0, demangled.find(" [clone "));
}

}  // namespace compmond::names
