// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "core/limits.h"
#include "elf/image.h"

using compmond::elf::demangle;
using std::string;

TEST_CASE("demangle: C++, both Rust schemes, and names that are neither") {
  CHECK(demangle("_ZN2fh11FileHandler4openEi") == "fh::FileHandler::open(int)");
  CHECK(demangle("_ZN12_GLOBAL__N_11fEv") == "(anonymous namespace)::f()");
  CHECK(demangle("_ZN4core3fmt5write17h0123456789abcdefE") == "core::fmt::write");
  CHECK(demangle("_RNvCskwGfYPst2Cb_3foo16example_function") == "foo::example_function");
  CHECK(demangle("main") == "main");
  CHECK(demangle("") == "");
  CHECK(demangle("_Z") == "_Z");
  CHECK(demangle("_Znonsense!") == "_Znonsense!");
  CHECK(demangle("_RNot") == "_RNot");
  CHECK(demangle("_RNvC0_3bar") == "::bar");  // a crate without a name
}

TEST_CASE("demangle: a template's return type is dropped, a clone is marked") {
  CHECK(demangle("_ZN2fh7largestIiEET_S1_S1_") == "fh::largest<int>(int, int)");
  CHECK(demangle("_Z3fooi.constprop.0") == "foo(int) [clone .constprop.0]");
}

TEST_CASE("demangle: a short name for an endless text is cut at the limit") {
  // Each pair's two parts are the pair before: every level doubles the text.
  string name = "_Z1fSt4pairIiiE";
  for (int level = 0; level < 30; ++level) {
    static constexpr char kDigits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const string last = level == 0 ? "S0_" : string("S") + kDigits[level] + "_";
    name += "S_I" + last + last + "E";
  }
  const string text = demangle(name);
  CHECK(text.size() <= compmond::limits::kNameBytes);
  CHECK(text.size() > 1000);
  CHECK(text.ends_with("…"));
  CHECK(text.starts_with("f("));
}

TEST_CASE("demangle: names that are too long or too deep come back as they are") {
  const string too_long = "_Z" + std::to_string(5000) + string(5000, 'a') + "v";
  CHECK(demangle(too_long) == too_long);
  const string deep = "_Z1f" + string(4000, 'P') + "i";
  CHECK_FALSE(demangle(deep).empty());
  const string nested = "_Z1f" + string(1300, 'I') + "i";
  CHECK_FALSE(demangle(nested).empty());
  CHECK(demangle(string("_Z1f\0v", 6)) == string("_Z1f\0v", 6));
}
