// SPDX-License-Identifier: Apache-2.0
#include "suggest/name_parts.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "text/match.h"

namespace compmond::suggest {
namespace {

bool is_upper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }
bool is_lower(char c) { return std::islower(static_cast<unsigned char>(c)) != 0; }

// Whether a word of a C name begins there: after '_', at "aB" and at the last capital of "ABc".
bool begins_word(std::string_view name, size_t at) {
  if (name[at] == '_' || at == 0) return false;
  if (name[at - 1] == '_') return true;
  if (!is_upper(name[at])) return false;
  return is_lower(name[at - 1]) || std::isdigit(static_cast<unsigned char>(name[at - 1])) ||
         (is_upper(name[at - 1]) && at + 1 < name.size() && is_lower(name[at + 1]));
}

// "ngx_http" of "ngx_http_": a beginning without what stands between words.
std::string trimmed(std::string_view text) {
  while (text.ends_with('_')) text.remove_suffix(1);
  return std::string(text);
}

std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> out;
  if (name.empty()) return out;
  name.remove_prefix(std::min(name.find_first_not_of('_'), name.size() - 1));
  for (size_t at = 1; at < name.size(); ++at)
    if (begins_word(name, at)) out.push_back(trimmed(name.substr(0, at)));
  out.emplace_back(name);
  return out;
}

// Calls `at` with each place that is in no brackets, until it returns false.
template <class At>
void outside_brackets(std::string_view name, At at) {
  int depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool arrow = c == '>' && i > 0 && name[i - 1] == '-';  // operator->
    if (c == '<' || c == '(' || c == '{') ++depth;
    if (depth == 0 && !arrow && !at(i)) return;
    if ((c == '>' && !arrow) || c == ')' || c == '}') depth = std::max(0, depth - 1);
  }
}

// Without what is in <> and (): "a::vector::push_back" of "a::vector<b::c>::push_back".
std::string without_arguments(std::string_view name) {
  std::string out;
  outside_brackets(name, [&](size_t at) {
    out += name[at];
    return true;
  });
  return out;
}

constexpr std::string_view kScope = "::";

// What C++ and Rust bring along, and what Rust's standard library is made of.
bool is_in_runtime(std::string_view name) {
  constexpr std::array<std::string_view, 17> kScopes = {
      "std::",    "__gnu_cxx::",         "__cxxabiv1::",  "core::",
      "alloc::",  "compiler_builtins::", "hashbrown::",   "rustc_demangle::",
      "gimli::",  "addr2line::",         "miniz_oxide::", "object::",
      "memchr::", "panic_unwind::",      "__rustc::",     "adler::",
      "adler2::"};
  return std::ranges::any_of(kScopes, [&](auto scope) { return name.starts_with(scope); });
}

// "a::A" of "&mut a::A".
std::string_view without_markers(std::string_view type) {
  for (bool again = true; again;) {
    again = false;
    for (const std::string_view marker : {"&", "*", "[", "const ", "mut ", "dyn "})
      if (type.starts_with(marker)) {
        type.remove_prefix(marker.size());
        again = true;
      }
  }
  return type;
}

// Of Rust's "<a::A as b::B>::f" a::A::f, or b::B::f where A is anybody's: a parameter, a reference
// to one, a standard type. What is of a type that the language has is of core.
std::string without_rust_types(std::string_view name) {
  if (!name.starts_with('<')) return without_arguments(name);
  size_t end = std::string_view::npos, as = end;
  const std::string_view inner = name.substr(1);
  outside_brackets(inner, [&](size_t at) {
    if (as == std::string_view::npos && inner.substr(at).starts_with(" as ")) as = at;
    if (inner[at] == '>') end = at;
    return end == std::string_view::npos;
  });
  if (end == std::string_view::npos) return without_arguments(name);
  const bool has_trait = as != std::string_view::npos;
  std::string type = without_rust_types(without_markers(inner.substr(0, has_trait ? as : end)));
  const bool anybodys = type.find(kScope) == std::string::npos || is_in_runtime(type);
  if (anybodys && has_trait)
    type = without_rust_types(inner.substr(as + 4, end - as - 4));
  else if (anybodys && !is_in_runtime(type))
    type = "core::" + type;
  return type + without_arguments(inner.substr(end + 1));
}

}  // namespace

std::string plain_name_of(const Function& function) {
  if (!function.scoped()) return function.symbol;
  std::string out = without_rust_types(function.name);
  while (out.starts_with(kScope)) out.erase(0, kScope.size());
  while (out.ends_with(kScope)) out.erase(out.size() - kScope.size());
  return out;
}

std::vector<std::string> scopes_of(const Function& function) {
  if (!function.scoped()) return words_of(function.symbol);
  const std::string name = plain_name_of(function);
  std::vector<std::string> out;
  std::string so_far;
  for (size_t at = 0;;) {
    const size_t end = name.find(kScope, at);
    if (end == std::string::npos) break;
    if (end > at) {  // else nothing is left of it
      if (!so_far.empty()) so_far += kScope;
      so_far += name.substr(at, end - at);
      out.push_back(so_far);
    }
    at = end + kScope.size();
  }
  return out;
}

bool is_of_runtime(std::string_view name) {
  constexpr std::array<std::string_view, 13> kNames = {"_init",
                                                       "_fini",
                                                       "_start",
                                                       "frame_dummy",
                                                       "register_tm_clones",
                                                       "deregister_tm_clones",
                                                       "__do_global_dtors_aux",
                                                       "__libc_csu_init",
                                                       "__libc_csu_fini",
                                                       "__rust_alloc",
                                                       "rust_eh_personality",
                                                       "__rust_dealloc",
                                                       "__rust_realloc"};
  return is_in_runtime(without_rust_types(name)) ||
         std::ranges::find(kNames, name) != kNames.end() || name.starts_with("operator ") ||
         name.starts_with("_GLOBAL__sub_");
}

bool is_system_library(std::string_view path) {
  constexpr std::array<std::string_view, 4> kFolders = {"/usr/lib", "/lib", "/usr/local/lib",
                                                        "/nix/store"};
  return std::ranges::any_of(kFolders, [&](auto folder) { return path.starts_with(folder); });
}

bool is_runtime_library(std::string_view path) {
  constexpr std::array<std::string_view, 16> kLibraries = {
      "libc.",      "libc-",      "libm.",   "libm-",      "ld-",       "ld-linux",
      "libpthread", "libdl.",     "librt.",  "libstdc++.", "libgcc_s.", "libc++.",
      "libc++abi.", "libresolv.", "libnss_", "libmvec."};
  const std::string_view leaf = text::leaf(path);
  return std::ranges::any_of(kLibraries, [&](auto name) { return leaf.starts_with(name); });
}

}  // namespace compmond::suggest
