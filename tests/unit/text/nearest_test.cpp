// SPDX-License-Identifier: Apache-2.0
#include "text/nearest.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>

using namespace compmond;

namespace {

// All cells of the table, none left out: what the banded one must agree with.
size_t reference(const std::string& a, const std::string& b) {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i)
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] =
          std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

}  // namespace

TEST_CASE("nearest: edits are counted exactly up to the limit, and are one more beyond it") {
  text::EditDistance distance;
  CHECK(rc::check([&] {
    const auto letters = rc::gen::container<std::string>(rc::gen::elementOf(std::string("abc")));
    const std::string a = *letters, b = *letters;
    const size_t limit = *rc::gen::inRange<size_t>(0, 8);
    RC_ASSERT(distance(a, b, limit) == std::min(reference(a, b), limit + 1));
  }));
}

TEST_CASE("nearest: swapped neighbours are one edit") {
  text::EditDistance distance;
  CHECK(distance("sned", "send", 3) == 1);
  CHECK(distance("kitten", "sitting", 5) == 3);
  CHECK(distance("", "abc", 5) == 3);
}

TEST_CASE("nearest: the word that was meant, or none") {
  const std::array<std::string_view, 3> known{"components", "connections", "name"};
  CHECK(text::nearest("componets", known) == "components");
  CHECK(text::nearest("nmae", known) == "name");
  CHECK(text::nearest("frobnicate", known).empty());
  CHECK(text::nearest(std::string(1000, 'n'), known).empty());
}

TEST_CASE("nearest: words are listed with a word before the last") {
  const std::array<std::string_view, 3> words{"a", "b", "c"};
  CHECK(text::listed(words) == "a, b and c");
  CHECK(text::listed(words, "or") == "a, b or c");
  CHECK(text::listed(std::array<std::string_view, 1>{"a"}) == "a");
}
