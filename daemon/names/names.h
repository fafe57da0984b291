// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

// How symbol names are built. A view that is returned is of the argument.
namespace compmond::names {

// A demangled function name in its three parts; without a parameter list, all of it is `name`.
struct Signature {
  std::string_view name;        // "(anonymous namespace)::Foo<int (*)()>::operator()"
  std::string_view parameters;  // "(int, char)" with its parentheses; empty: none
  std::string_view qualifiers;  // "const &"
};
// Works on patterns too. The parameter list is the last parenthesised group, if only qualifiers
// follow it.
Signature split_signature(std::string_view demangled);

// "a::b<c::d>::e" -> "e".
std::string_view last_component(std::string_view name);

// Rust's "a::Store::get" of "<a::Store>::get::<u32>" and "<a::Store as b::Map>::get"; other names
// as they are.
std::string without_rust_brackets(std::string_view name);

// "f" of "f[abi:cxx11]", as functions are named that return a std::string.
std::string_view without_abi_tags(std::string_view name);

// What a compiler appended to a raw name.
enum class Derived {
  kRenamed,  // the function itself under another name: .lto_priv, .llvm, .localalias
  kClone,    // a specialised copy, called like the function: .constprop, .isra
  kPart,     // what is left of it where callers have its beginning: .part
  kCold,     // jumped to from inside the function, never called: .cold
};
struct DerivedName {
  std::string_view base;  // "foo" of "foo.constprop.0"
  Derived kind = Derived::kClone;
};
std::optional<DerivedName> derived_name(std::string_view raw);

// The demangled name without " [clone .constprop.0]".
std::string_view without_clone_note(std::string_view demangled);

}  // namespace compmond::names
