// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <string>

#include "../code/real_binaries.h"
#include "uprobe_sites/finder.h"

using namespace compmond;

namespace {

struct Least {
  int complete_percent, cheap_percent;  // at least; what was measured, less a little
};
constexpr std::array<Least, kRealBinaries.size()> kLeast{
    {{95, 88}, {95, 79}, {98, 78}, {94, 80}, {90, 70}}};

}  // namespace

TEST_CASE("real sites: most functions of real binaries have known exits and a cheap place") {
  for (size_t i = 0; i < kRealBinaries.size(); ++i) {
    const auto image = open_image(kRealBinaries[i]);
    uprobe::SiteFinder finder(image, true);
    int total = 0, complete = 0, cheap = 0;
    for (const auto& symbol : sample(image)) {
      const auto sites = finder.find(symbol);
      ++total;
      complete += sites && sites->exits_complete;
      cheap += sites && sites->entry.kind != uprobe::SiteKind::kStepped;
    }
    CAPTURE(std::string(kRealBinaries[i]));
    CHECK(total > 100);
    CHECK(100 * complete / total >= kLeast[i].complete_percent);
    CHECK(100 * cheap / total >= kLeast[i].cheap_percent);
  }
}
