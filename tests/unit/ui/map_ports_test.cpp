// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "picture.h"

using namespace compmond;
using namespace compmond::ui;

namespace {

constexpr size_t kHandler = 5;  // FileHandler, which is called and calls

// The file host, of which FileHandler has so many interfaces on each side: "take_0", which is
// called most, "take_1", …, and "give_0", ….
snapshot::View host_with(size_t in, size_t out, size_t components = 10) {
  snapshot::View view = file_host(components);
  view.strip.reset();  // its labels are the same names
  auto& operations = view.snapshot->components[kHandler].operations;
  const snapshot::Operation like = operations.front();
  operations.clear();
  const auto add = [&](const char* name, size_t count, Interface side) {
    for (size_t i = 0; i < count; ++i) {
      auto& one = operations.emplace_back(like);
      one.name = fmt::format("fh::FileHandler::{}_{}(int)", name, i);
      one.interface = side;
      one.figures.calls = 5'000 - 100 * i;
    }
  };
  add("take", in, Interface::kIn);
  add("give", out, Interface::kOut);
  return view;
}

struct PortStage : Stage {
  explicit PortStage(snapshot::View view, float width = 1920, float height = 1080)
      : Stage(width, height) {
    model.settings.options["frame/details"] = 0;
    REQUIRE(app.show_view("Map"));
    give(*this, std::move(view));
    arrange();
    for (int i = 0; i < 40; ++i) frame();
  }
  // How many ports and joints of ports there are.
  int ports() const {
    const ImU32 c = theme.dim;
    const std::string colour =
        fmt::format(" #{:02x}{:02x}{:02x}ff ", c & 255, c >> 8 & 255, c >> 16 & 255);
    for (const std::string& line : picture(*this, "view"))
      if (const size_t at = line.find(colour); line.starts_with("small") && at != line.npos)
        return std::stoi(line.substr(at + colour.size()));
    return 0;
  }
  // Moves from the component's time, which stands in the middle of the height, past a side of its
  // box, until a tooltip says that.
  bool tells(const char* time, float step, const char* text) {
    const ImVec2 from = find(time);
    for (float x = from.x; std::abs(x - from.x) < 400; x += step) {
      move(x, from.y);
      frame();
      if (shows(text)) return true;
    }
    return false;
  }
};

constexpr const char* kTime = "2.10 s";  // of FileHandler

}  // namespace

TEST_CASE("map ports: a port per interface, joined where there are several on a side") {
  constexpr int kAll = 20;  // one on each side of ten boxes
  CHECK(PortStage(host_with(1, 1)).ports() == kAll);
  CHECK(PortStage(host_with(3, 1)).ports() == kAll + 2 + 1);
  CHECK(PortStage(host_with(2, 5)).ports() == kAll + 1 + 4 + 2);
}

TEST_CASE("map ports: many are one port that says how many") {
  PortStage stage(host_with(37, 1));
  CHECK(stage.ports() == 20);
  CHECK(stage.shows("37"));
  CHECK(PortStage(host_with(1'200, 1)).shows("1k+"));
}

TEST_CASE("map ports: far away a side has one, however many there are") {
  const auto drawn = [](size_t interfaces) {
    PortStage stage(host_with(interfaces, interfaces, 18), 1280, 800);
    REQUIRE(stage.shows("40 % real time (net)"));  // the zoom
    CHECK_FALSE(stage.shows("37"));
    return stage.ports();
  };
  CHECK(drawn(1) > 0);
  CHECK(drawn(3) == drawn(1));
  CHECK(drawn(37) == drawn(1));
}

TEST_CASE("map ports: pointing at one tells its name and its calls, beside it the component's") {
  PortStage stage(host_with(3, 1));
  stage.move(stage.find(kTime).x, stage.find(kTime).y);
  stage.settle();
  CHECK(stage.shows("raw of one"));
  REQUIRE(stage.tells(kTime, -2, "fh::FileHandler::take_1(int)"));
  CHECK(stage.shows("in interface of FileHandler"));
  CHECK(stage.shows("calls 4,900, 980/s"));
  CHECK_FALSE(stage.shows("raw of one"));
  REQUIRE(stage.tells(kTime, 2, "fh::FileHandler::give_0(int)"));
  CHECK(stage.shows("out interface of FileHandler"));
}

TEST_CASE("map ports: one for many lists those that are called most, and how many more there are") {
  snapshot::View view = host_with(37, 1);
  std::ranges::reverse(view.snapshot->components[kHandler].operations);
  PortStage stage(std::move(view));
  REQUIRE(stage.tells(kTime, -2, "37 in interfaces of FileHandler"));
  CHECK(stage.shows("calls, most first: 5,000 take_0 4,900 take_1 4,800 take_2"));
  CHECK(stage.shows("and 29 more"));
  CHECK_FALSE(stage.shows("take_20"));
}

TEST_CASE("map ports: what is refused or switched off is told as that") {
  snapshot::View view = host_with(3, 1);
  auto& operations = view.snapshot->components[kHandler].operations;
  operations[1].exit_mode = snapshot::ExitMode::kRefused;
  operations[1].reason = "it is inlined everywhere";
  operations[3].state = snapshot::Presence::kDisabled;
  PortStage stage(std::move(view));
  CHECK(stage.tells(kTime, -2, "refused: it is inlined everywhere"));
  CHECK(stage.tells(kTime, 2, "switched off, before:"));
}

TEST_CASE("map ports: what is called without an interface keeps a port, and it says so") {
  PortStage stage(host_with(0, 1));
  CHECK(stage.ports() == 20);
  CHECK(stage.tells(kTime, -2, "The spec names no in interface of it."));
}

TEST_CASE("map ports: where samples tell, they stand in the place of calls") {
  snapshot::View view = sampled_host();
  view.strip.reset();
  PortStage stage(std::move(view));
  REQUIRE(stage.shows("2.10 s"));
  CHECK(stage.tells(kTime, -2, "estimated from 360 samples"));
}

TEST_CASE("map ports: a click on one selects its component") {
  PortStage stage(host_with(3, 1));
  REQUIRE(stage.tells(kTime, -2, "fh::FileHandler::take_1(int)"));
  stage.press();
  stage.release();
  CHECK(stage.model.selection.component == "FileHandler");
}
