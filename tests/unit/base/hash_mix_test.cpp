// SPDX-License-Identifier: Apache-2.0
#include "base/hash_mix.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

using compmond::hash_mix;

TEST_CASE("hash mix: texts end where they end") {
  CHECK(hash_mix(hash_mix(0, "ab"), "c") != hash_mix(hash_mix(0, "a"), "bc"));
  CHECK(hash_mix(hash_mix(0, ""), "a") != hash_mix(hash_mix(0, "a"), ""));
  CHECK(hash_mix(1, "ab") == hash_mix(1, std::string("ab")));
}

TEST_CASE("hash mix: small numbers in a row differ, in their low bits as well") {
  std::set<uint64_t> whole, low;
  for (uint64_t i = 0; i < 1000; ++i) {
    whole.insert(hash_mix(0, i));
    low.insert(hash_mix(0, i) % 1024);
  }
  CHECK(whole.size() == 1000);
  CHECK(low.size() > 500);
}
