// SPDX-License-Identifier: Apache-2.0
#include "names/names.h"

#include <doctest/doctest.h>

#include <string>

#include "names/wildcard.h"

using namespace compmond::names;

namespace {

void splits(const std::string& text, const std::string& name, const std::string& parameters,
            const std::string& qualifiers = {}) {
  INFO(text);
  const Signature signature = split_signature(text);
  CHECK(std::string(signature.name) == name);
  CHECK(std::string(signature.parameters) == parameters);
  CHECK(std::string(signature.qualifiers) == qualifiers);
}

}  // namespace

TEST_CASE(
    "names: the parameter list is the last parenthesised group, with only qualifiers behind it") {
  splits("main", "main", "");
  splits("f(int)", "f", "(int)");
  splits("fh::F::open(std::string const&) const", "fh::F::open", "(std::string const&)", "const");
  splits("f(int (*)(char), long)", "f", "(int (*)(char), long)");
  splits("(anonymous namespace)::f", "(anonymous namespace)::f", "");
  splits("(anonymous namespace)::f(int)", "(anonymous namespace)::f", "(int)");
  splits("ns::(anonymous namespace)::f() &&", "ns::(anonymous namespace)::f", "()", "&&");
  splits("F::operator()", "F::operator()", "");
  splits("F::operator()(int) const", "F::operator()", "(int)", "const");
  splits("F::operator()()", "F::operator()", "()");
  splits("g<int (*)(char)>", "g<int (*)(char)>", "");
  splits("g<(Kind)3>()", "g<(Kind)3>", "()");
  splits("g<(Kind)3>::h", "g<(Kind)3>::h", "");
  splits("f(int)::{lambda(int)#1}::operator()(int) const", "f(int)::{lambda(int)#1}::operator()",
         "(int)", "const");
  splits("f(int)::counter", "f(int)::counter", "");
  splits("f(int) [clone .constprop.0]", "f", "(int)");
  splits("f(*)", "f", "(*)");
  splits("f(*) *", "f", "(*)", "*");
  splits("f(int", "f(int", "");
  splits("f)", "f)", "");
  splits("", "", "");
}

TEST_CASE("names: the last component is found behind templates, lambdas and parameters") {
  CHECK(last_component("main") == "main");
  CHECK(last_component("a::b<c::d>::e") == "e");
  CHECK(last_component("a::e<c::d>") == "e<c::d>");
  CHECK(last_component("a::b::") == "");
}

TEST_CASE("names: Rust's brackets around types and generic arguments are taken off") {
  CHECK(without_rust_brackets("<a::store::Store>::get::<u32>") == "a::store::Store::get");
  CHECK(without_rust_brackets("<a::Store<u8> as b::Map<u8>>::get") == "a::Store<u8>::get");
  CHECK(without_rust_brackets("a::f::<fn(u8) -> b::T<u8>>::{closure#0}") == "a::f::{closure#0}");
  for (const char* same : {"a::b<c>::d", "operator<", "ns::operator<< ", "<", "<a", "a::<b", ""}) {
    CAPTURE(same);
    CHECK(without_rust_brackets(same) == same);
  }
}

TEST_CASE(
    "names: what compilers append to names is recognised, other suffixes are part of the name") {
  const auto is = [](std::string_view raw, std::string_view base, Derived kind) {
    const auto derived = derived_name(raw);
    INFO(std::string(raw));
    REQUIRE(derived.has_value());
    CHECK(derived->base == base);
    CHECK(derived->kind == kind);
  };
  is("foo.constprop.0", "foo", Derived::kClone);
  is("foo.part.0.isra.3", "foo", Derived::kPart);
  is("foo.constprop.0.cold", "foo", Derived::kCold);
  is("foo.cold", "foo", Derived::kCold);
  is("foo.cold.12", "foo", Derived::kCold);
  is("foo.lto_priv.0", "foo", Derived::kRenamed);
  is("foo.llvm.1234567890", "foo", Derived::kRenamed);
  is("foo.1.isra.0", "foo.1", Derived::kClone);
  for (const char* plain : {"foo", "foo.1", "foo.bar", ".cold", "foo.", "", "foo.coldest"}) {
    INFO(std::string(plain));
    CHECK_FALSE(derived_name(plain).has_value());
  }
}

TEST_CASE("wildcards: stars and question marks, matched whole") {
  CHECK(wildcard_match("", ""));
  CHECK_FALSE(wildcard_match("", "a"));
  CHECK(wildcard_match("*", ""));
  CHECK(wildcard_match("a*c", "abcbc"));
  CHECK(wildcard_match("*ab*ab*", "xabyabz"));
  CHECK_FALSE(wildcard_match("*ab*ab*", "xabyaz"));
  CHECK(wildcard_match("a?c", "abc"));
  CHECK_FALSE(wildcard_match("a?c", "ac"));
  CHECK_FALSE(wildcard_match("abc", "abcd"));
  CHECK(wildcard_match("a**", "a"));
  CHECK_FALSE(wildcard_match("?", ""));
}

TEST_CASE("wildcards: many stars take no exponential time") {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "*a";
  CHECK_FALSE(wildcard_match(pattern + "b", std::string(4000, 'a')));
}
