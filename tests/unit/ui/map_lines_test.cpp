// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "picture.h"

using namespace compmond;
using namespace compmond::ui;

namespace {

// All that is no text: a dash is a shape, as a whole line is.
int shapes(const Stage& stage) {
  constexpr std::string_view kMany = " of them";
  int count = 0;
  for (const std::string& line : picture(stage, "view")) {
    if (line.starts_with("shape")) ++count;
    if (line.ends_with(kMany))
      count += std::stoi(line.substr(line.rfind(' ', line.size() - kMany.size() - 1)));
  }
  return count;
}

}  // namespace

TEST_CASE("map: lines are as dashed as the key says, also where all is small") {
  const auto drawn = [](uint64_t calls) {
    Stage stage(800, 600);
    snapshot::View view = file_host(18);
    for (auto& edge : view.snapshot->edges) edge.count = calls, edge.declared = true;
    stage.model.settings.options["frame/details"] = 0;
    REQUIRE(stage.app.show_view("Map"));
    give(stage, std::move(view));
    stage.arrange();
    for (int i = 0; i < 40; ++i) stage.frame();
    REQUIRE(stage.shows("26 %"));
    CHECK(stage.shows("in the spec, no call") == (calls == 0));
    return shapes(stage);
  };
  constexpr int kOfKey = 8;
  CHECK(drawn(0) > drawn(1) + kOfKey);
}
