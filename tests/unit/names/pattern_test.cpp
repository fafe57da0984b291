// SPDX-License-Identifier: Apache-2.0
#include "names/pattern.h"

#include <doctest/doctest.h>

#include <chrono>
#include <set>

#include "support/elf_files.h"

using namespace compmond;
using namespace compmond::elf;
using namespace compmond::names;
using namespace compmond::test;

namespace {

Pattern pattern(const std::string& text) {
  auto compiled = Pattern::compile(text);
  REQUIRE_MESSAGE(compiled.has_value(), compiled.error().text());
  return *compiled;
}

std::string why_not(const std::string& text) {
  const auto compiled = Pattern::compile(text);
  REQUIRE_FALSE(compiled.has_value());
  CHECK(compiled.error().code == Exit::kData);
  return compiled.error().why;
}

using Names = std::set<std::string>;

Names found(const Image& image, const std::string& text) {
  Names names;
  for (const Symbol* symbol : find(image, pattern(text)).functions) names.insert(symbol->demangled);
  return names;
}

std::string reason(const Image& image, const std::string& text) {
  const Matches matches = find(image, pattern(text));
  CHECK(matches.functions.empty());
  REQUIRE(matches.rejected.size() == 1);
  return matches.rejected[0].reason;
}

Symbol named(const std::string& raw) {
  Symbol symbol;
  symbol.name = raw;
  symbol.demangled = demangle(raw);
  return symbol;
}

const Image& names_image() {
  static const Image image = image_of_fixture("names.cpp", "-shared -fPIC -O1");
  return image;
}
const Image& clones_image() {
  static const Image image = image_of_fixture("clones.s");
  return image;
}
const Image& versions_image() {
  static const Image image = image_of_fixture(
      "versions.c", "-shared -fPIC -Wl,--version-script=" + fixture("versions.map"));
  return image;
}

}  // namespace

TEST_CASE("pattern: one without parentheses matches all overloads, one with a list only that") {
  const Names both{"fh::FileHandler::open(int)",
                   "fh::FileHandler::open(std::__cxx11::basic_string<char, "
                   "std::char_traits<char>, std::allocator<char> > const&) const"};
  CHECK(found(names_image(), "fh::FileHandler::open") == both);
  CHECK(found(names_image(), "fh::FileHandler::open(*)") == both);
  CHECK(found(names_image(), "fh::FileHandler::open(int)") == Names{"fh::FileHandler::open(int)"});
  CHECK(found(names_image(), "fh::FileHandler::open(int) const").empty());
  CHECK(found(names_image(), "fh::FileHandler::open(std::*)").size() == 1);
  CHECK(found(names_image(), "fh::FileHandler::open(*) const").size() == 1);
  CHECK(found(names_image(), "_ZN2fh11FileHandler4openEi") == Names{"fh::FileHandler::open(int)"});
  CHECK(found(names_image(), "fh::FileHandler::send*") ==
        Names{"fh::FileHandler::send_all()", "fh::FileHandler::send_one()"});
  CHECK(found(names_image(), "fh::FileHandler::ope").empty());
}

TEST_CASE("pattern: operators, conversions, templates, lambdas and unnamed namespaces") {
  CHECK(found(names_image(), "fh::FileHandler::operator()") ==
        Names{"fh::FileHandler::operator()(int) const"});
  CHECK(found(names_image(), "fh::FileHandler::operator()(*)") ==
        Names{"fh::FileHandler::operator()(int) const"});
  CHECK(found(names_image(), "fh::FileHandler::operator bool") ==
        Names{"fh::FileHandler::operator bool() const"});
  CHECK(found(names_image(), "fh::largest<int>") == Names{"fh::largest<int>(int, int)"});
  CHECK(found(names_image(), "fh::largest<*>").size() == 3);
  CHECK(found(names_image(), "fh::largest<int (*)(char)>").size() == 1);
  CHECK(found(names_image(), "(anonymous namespace)::in_anonymous") ==
        Names{"(anonymous namespace)::in_anonymous(int)"});
  CHECK(found(names_image(), "(anonymous namespace)::in_anonymous(int)").size() == 1);
  CHECK(found(names_image(), "fh::maker(int)::{lambda(int)#1}::operator()").size() == 1);
}

TEST_CASE("pattern: ABI tags need not be written") {
  const Names tagged{"fh::text_of[abi:cxx11](int)"};
  CHECK(found(names_image(), "fh::text_of") == tagged);
  CHECK(found(names_image(), "fh::text_of(int)") == tagged);
  CHECK(found(names_image(), "fh::text_of[abi:cxx11]") == tagged);
  CHECK(found(names_image(), "fh::text_of[abi:other]").empty());
  CHECK(found(names_image(), "fh::text_of(char)").empty());
}

TEST_CASE("pattern: a function's name does not find the lambdas in it, nor the thunks to it") {
  CHECK(found(names_image(), "fh::maker(*)") == Names{"fh::maker(int)"});
  CHECK(found(names_image(), "(anonymous namespace)::Both::second") ==
        Names{"(anonymous namespace)::Both::second()"});
  CHECK(found(names_image(), "non-virtual thunk to (anonymous namespace)::Both::second").size() ==
        1);
}

TEST_CASE("pattern: expressions match the whole raw or demangled name") {
  CHECK(found(names_image(), "re:fh::FileHandler::send_(all|one)\\(\\)").size() == 2);
  CHECK(found(names_image(), "re:fh::FileHandler::send").empty());
  CHECK(found(names_image(), "re:_ZN2fh11FileHandler8send_...Ev").size() == 2);
}

TEST_CASE("pattern: what cannot be compiled says why") {
  CHECK(why_not("") == "it is empty");
  CHECK(why_not(std::string(1025, 'a')) == "it is longer than 1024 bytes");
  CHECK(why_not("@V") == "there is no name before @");
  CHECK(why_not("f@") == "there is no version after @");
  CHECK(why_not("f@@") == "there is no version after @");
  CHECK(why_not("re:") == "the expression after re: is empty");
  CHECK(why_not("re:(").starts_with("not a regular expression: "));
  CHECK(why_not("re:f[z-a]") ==
        "not a regular expression: invalid character class range: z-a (at character 6)");
  CHECK(why_not("re:((a{999}){999}){999}").starts_with("not a regular expression: "));
  CHECK(why_not("re:a(?<n>b)").starts_with("not a regular expression: "));
  CHECK(why_not("re:(" + std::string(200, 'a') + "){900}") ==
        "with its repeat counts written out it is too long");
  CHECK(why_not(std::string("a\0b", 3)) == "it contains a zero byte");
  CHECK(Pattern::compile("re:[0-9]{3}x{2,4}").has_value());
  CHECK(Pattern::compile("re:a\\\\1").has_value());  // a backslash and a 1
}

TEST_CASE("pattern: look-around and back-references are errors that name their place") {
  CHECK(why_not("re:(a)\\1") == "RE2's expressions have no back-references: \\1 (at character 7)");
  // The first \1 is a backslash and a 1.
  CHECK(why_not("re:a\\\\1\\1") ==
        "RE2's expressions have no back-references: \\1 (at character 8)");
  for (const char* around : {"(?=", "(?!", "(?<=", "(?<!"}) {
    const std::string why = why_not(std::string("re:f") + around + "x)g");
    CHECK(why.starts_with("RE2's expressions have no look-around: (?"));
    CHECK(why.ends_with(" (at character 5)"));
  }
  CHECK(Pattern::compile("re:(a)\\1").error().next.find("(aa|bb)") != std::string::npos);
  CHECK(Pattern::compile("re:(?:a|b)(?i)c").has_value());
}

TEST_CASE("pattern: an expression matches names of any bytes and of any length") {
  CHECK(
      pattern("re:a.b").matches(named("a\xff"
                                      "b")));
  CHECK(pattern("re:ä+").matches(named("ä")));
  CHECK(pattern("re:.*").matches(named(std::string(60'000, 'a'))));
}

TEST_CASE("pattern: no expression takes exponential time or a deep stack") {
  const auto start = std::chrono::steady_clock::now();
  CHECK_FALSE(pattern("re:(a*)*b").matches(named(std::string(2000, 'a'))));
  CHECK_FALSE(pattern("re:(a|aa)+$b").matches(named(std::string(2000, 'a'))));
  CHECK(pattern("re:(.|x)*").matches(named(std::string(2000, 'a'))));
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::minutes(1));
}

TEST_CASE("pattern: without a version only the default one is observed") {
  const Matches plain = find(versions_image(), pattern("copy"));
  REQUIRE(plain.functions.size() == 1);
  CHECK(plain.functions[0]->version == "V_2");
  CHECK(plain.rejected.empty());
  const Matches old = find(versions_image(), pattern("copy@V_1"));
  REQUIRE(old.functions.size() == 1);
  CHECK(old.functions[0]->version == "V_1");
  CHECK(found(versions_image(), "copy@@V_2").size() == 1);
  CHECK(find(versions_image(), pattern("copy@V_*")).functions.size() == 2);
  CHECK(found(versions_image(), "copy@V_3").empty());
  CHECK(reason(versions_image(), "gone") ==
        "not the version that programs link to today; to observe it, write gone@V_1");
}

TEST_CASE("find: imports, data, labels and IFUNCs are refused, each with its reason") {
  const auto image = image_of_fixture("plain.c");
  CHECK(reason(image, "malloc") ==
        "an import from another library: name that library as the image");
  CHECK(reason(image, "counter") == "data or a bare label, not a function");
  CHECK(reason(image, "bare_label") == "data or a bare label, not a function");
  CHECK(reason(image_of_fixture("ifunc.c"), "work") ==
        "an IFUNC resolver, which only picks the implementation when a program starts; "
        "implementations: "
        "work_wide, work_narrow");
  CHECK(reason(image_of_fixture("ifunc.c", "-shared -fPIC -s"), "work") ==
        "an IFUNC resolver, which only picks the implementation when a program starts; "
        "its implementations have no symbols here");
}

TEST_CASE("find: aliases at one address are one function, named by the shortest global name") {
  const auto image = image_of_fixture("plain.c");
  const Matches matches = find(image, pattern("re:plain_a(dd|lias)|local_alias"));
  REQUIRE(matches.functions.size() == 1);
  CHECK(matches.functions[0]->name == "plain_add");
  CHECK(find(image, pattern("plain_alias")).functions.at(0)->name == "plain_alias");
}

TEST_CASE("find: the hundredth search of a finder finds what the first one does") {
  for (const Image* image : {&names_image(), &clones_image(), &versions_image()}) {
    std::set<std::string> texts = {"*", "?*", "fh::*", "nothing", "re:.*e.*", "copy@V_1"};
    for (const Symbol& symbol : image->symbols())
      for (const std::string& name : {symbol.name, symbol.demangled}) {
        texts.insert(name);
        texts.insert(name.substr(0, name.size() / 2) + "*");
        texts.insert(name.substr(0, name.find_first_of("(.")));
      }
    Finder finder(*image);
    for (int i = 0; i < 100; ++i) finder.find(pattern("*"));
    texts.erase("");
    for (const std::string& text : texts) {
      CAPTURE(text);
      const Matches first = find(*image, pattern(text)), later = finder.find(pattern(text));
      CHECK(later.functions == first.functions);
      REQUIRE(later.rejected.size() == first.rejected.size());
      for (size_t i = 0; i < first.rejected.size(); ++i)
        CHECK(later.rejected[i].symbol == first.rejected[i].symbol);
    }
  }
}

TEST_CASE("find: a clone that is the only body of its function answers to its name") {
  const Matches matches = find(clones_image(), pattern("split"));
  REQUIRE(matches.functions.size() == 1);
  CHECK(matches.functions[0]->name == "split.constprop.0");
  CHECK(matches.rejected.empty());
  CHECK(found(clones_image(), "ns::split(int)") == Names{"ns::split(int) [clone .isra.0]"});
  CHECK(found(clones_image(), "split.constprop.0") == Names{"split.constprop.0"});
  CHECK(found(clones_image(), "split*") == Names{"split.constprop.0"});
}

TEST_CASE("find: clones are refused where there are several, or the function itself, and parts") {
  const Matches twice = find(clones_image(), pattern("twice"));
  CHECK(twice.functions.empty());
  REQUIRE(twice.rejected.size() == 2);
  CHECK(twice.rejected[0].reason == "the compiler cloned it: twice.constprop.0");
  CHECK(found(clones_image(), "beside") == Names{"beside"});
  CHECK(reason(clones_image(), "rest") ==
        "the compiler left a part of it, the rest is in its callers: rest.part.0");
}

TEST_CASE("find: a cold part is never observed, and a renamed function answers to its name") {
  CHECK(reason(clones_image(), "whole.cold") ==
        "the compiler's cold part of whole, which is never called by itself");
  const Matches whole = find(clones_image(), pattern("whole"));
  CHECK(whole.functions.size() == 1);
  CHECK(whole.rejected.empty());
  CHECK(found(clones_image(), "whole*") == Names{"whole"});
  CHECK(found(clones_image(), "moved") == Names{"moved.lto_priv.0"});
}

TEST_CASE("nearest: clones first, then the same name elsewhere, then the most similar ones") {
  CHECK(nearest(clones_image(), pattern("split")).at(0).starts_with("split."));
  CHECK(nearest(names_image(), pattern("FileHandler::send_all")).at(0) ==
        "fh::FileHandler::send_all()");
  CHECK(nearest(names_image(), pattern("fh::filehandler::SEND_ALL")).at(0) ==
        "fh::FileHandler::send_all()");
  CHECK(nearest(names_image(), pattern("fh::FileHandler::sendall")).at(0) ==
        "fh::FileHandler::send_all()");
  CHECK(nearest(names_image(), pattern("fh::FileHandlr::send*")).at(0) ==
        "fh::FileHandler::send_all()");
  CHECK(nearest(names_image(), pattern("re:fh::FileHandler::sent_al.*")).at(0) ==
        "fh::FileHandler::send_all()");
  const auto versions = nearest(versions_image(), pattern("copy@V_9"), 2);
  CHECK(Names(versions.begin(), versions.end()) == Names{"copy@V_1", "copy@@V_2"});
  CHECK(nearest(names_image(), pattern("nothing_like_this_anywhere")).empty());
  for (const std::string& name : nearest(clones_image(), pattern("whole"), 50)) {
    CAPTURE(name);
    CHECK(name.find("cold") == std::string::npos);
  }
  CHECK(nearest(clones_image(), pattern("wholes")).at(0) == "whole");
}

TEST_CASE("nearest: Rust's names are compared without their brackets") {
  const Image image = image_of_fixture("rust_names.s");
  const std::string get = "<a::store::Store>::get::<u32>";
  for (const char* meant : {"a::store::Store::get", "Store::get", "a::store::Stor::get",
                            "<a::store::Store>::got::<u32>", "get"}) {
    CAPTURE(meant);
    const auto names = nearest(image, pattern(meant));
    REQUIRE_FALSE(names.empty());
    CHECK(names.front() == get);
  }
}

TEST_CASE("nearest: gives no more than asked for, and no name twice") {
  const auto names = nearest(names_image(), pattern("fh::FileHandler::*"), 3);
  CHECK(names.size() == 3);
  CHECK(Names(names.begin(), names.end()).size() == 3);
  CHECK(nearest(names_image(), pattern("fh::FileHandler::*"), 0).empty());
}
