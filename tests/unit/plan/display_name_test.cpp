// SPDX-License-Identifier: Apache-2.0
#include "plan/display_name.h"

#include <doctest/doctest.h>

using compmond::plan::plain_name;

TEST_CASE("display name: a name loses parameters, return type and qualifiers, and nothing else") {
  CHECK(plain_name("main") == "main");
  CHECK(plain_name("fh::FileHandler::open(char const*)") == "fh::FileHandler::open");
  CHECK(plain_name("ns::f(int) const") == "ns::f");
  CHECK(plain_name("void ns::f<int>(int)") == "ns::f<int>");
  CHECK(plain_name("std::map<int, char> make<std::pair<int, int> >()") ==
        "make<std::pair<int, int> >");
  CHECK(plain_name("(anonymous namespace)::f(int)") == "(anonymous namespace)::f");
  CHECK(plain_name("Box::operator()(int) const") == "Box::operator()");
  CHECK(plain_name("Box::operator new(unsigned long)") == "Box::operator new");
  CHECK(plain_name("bool operator< <int>(Box<int> const&)") == "operator< <int>");
  CHECK(plain_name("work [clone .constprop.0]") == "work");
  CHECK(plain_name("fh::text_of[abi:cxx11](int)") == "fh::text_of");
  CHECK(plain_name("fh::Box[abi:one][abi:two]::get[abi:cxx11]<int>(int)") == "fh::Box::get<int>");
  CHECK(plain_name("<alloc::vec::Vec<T> as core::ops::drop::Drop>::drop") ==
        "<alloc::vec::Vec<T> as core::ops::drop::Drop>::drop");
}
