// SPDX-License-Identifier: Apache-2.0
#include <GLFW/glfw3.h>
#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <map>
#include <thread>

#include "stage.h"
#include "ui/views/shared/ranked.h"

using namespace compmond;
using namespace compmond::ui;

namespace {

// Boxes are placed on a thread of their own: draws until they are there and the view has come to
// rest around them.
void wait_for_boxes(Stage& stage) {
  for (int i = 0; i < 5'000 && !stage.shows("arrange"); ++i) {
    stage.frame();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  REQUIRE(stage.shows("arrange"));
  for (int i = 0; i < 40; ++i) stage.frame();
}

void show_map(Stage& stage, snapshot::View view = file_host()) {
  REQUIRE(stage.app.show_view("Map"));
  view.strip.reset();  // its labels are the same names
  feed(stage, std::move(view));
  wait_for_boxes(stage);
}

std::map<std::string, ImVec2> places(const Stage& stage) {
  std::map<std::string, ImVec2> out;
  for (const char* name : {"HTTPServer", "FileHandler", "FSWriter", "FileDecrypter"})
    out[name] = stage.find(name);
  return out;
}

// The details at the right name components, too.
void without_details(Stage& stage) { stage.model.settings.options["frame/details"] = 0; }

void drag(Stage& stage, ImVec2 from, ImVec2 by) {
  stage.move(from.x, from.y);
  stage.press();
  stage.move(from.x + by.x / 2, from.y + by.y / 2);
  stage.move(from.x + by.x, from.y + by.y);
  stage.release();
  stage.settle();
}

}  // namespace

TEST_CASE("map: a box says its name, its real time, its hotness and its calls") {
  Stage stage(1280, 800);
  without_details(stage);
  show_map(stage);
  for (const char* name : {"HTTPServer", "AccessControl", "FileEncrypter", "FileDecrypter"})
    CHECK(stage.shows(name));
  CHECK(stage.shows("3.50 s"));  // of FileDecrypter, the hottest
  CHECK(stage.shows("real time (net), last 5.00 s"));
  CHECK(stage.shows("hotness 100 = 3.50 s of 5.00 s"));
}

TEST_CASE("map: with another metric boxes, lists, strip and details print that one, named") {
  Stage stage(1920, 1080);
  snapshot::View view = file_host();
  for (auto& component : view.snapshot->components) component.figures.ranked = 12'345'000;
  view.snapshot->heat = snapshot::Heat{HeatScale::kWindow, RankedFigure::kMeanReal, 12'345'000};
  show_map(stage, view);
  CHECK(stage.shows("12.3 ms"));
  CHECK(stage.shows("mean real ·"));
  CHECK(stage.shows("mean real, last 5.00 s"));
  CHECK(stage.shows("hotness 100 = 12.3 ms"));
  CHECK(stage.shows("Hottest, by mean real"));
  CHECK_FALSE(stage.shows("3.50 s"));  // the real time is no part of it
  stage.model.selection.component = "FileHandler";
  stage.settle();
  CHECK(stage.shows("mean real"));
  // Of shares and counts likewise.
  view.snapshot->heat = snapshot::Heat{HeatScale::kWall, RankedFigure::kOfWall, 5e9, 0, 5e7};
  for (auto& component : view.snapshot->components) component.figures.ranked = 2.5e9;
  feed(stage, view);
  CHECK(stage.shows("50.0 %"));
  CHECK(stage.shows("of the window"));
  CHECK(stage.shows("share of the window, last 5.00 s"));
  view.snapshot->heat = snapshot::Heat{HeatScale::kWindow, RankedFigure::kCalls, 1740};
  for (auto& component : view.snapshot->components) component.figures.ranked = 1740;
  feed(stage, view);
  CHECK(stage.shows("hotness 100 = 1,740 calls"));
}

TEST_CASE("map: for every metric what is coloured is printed, sorted and named") {
  Stage stage(1280, 800);
  const auto without_blanks = [](std::string text) {
    std::erase(text, ' ');
    return text;
  };
  show_map(stage);
  for (const auto& [figure, word] : words(RankedFigure{})) {
    CAPTURE(word);
    snapshot::View view = file_host();
    view.strip.reset();
    auto& components = view.snapshot->components;
    view.snapshot->heat = snapshot::Heat{HeatScale::kWindow, figure, 5e8, 0, 0};
    for (auto& component : components) component.figures.hotness = component.figures.ranked = 0;
    // The other way round than their real times are.
    const std::vector<std::string> hottest = {"HTTPServer", "FSWriter", "FileDecrypter"};
    double ranked = 5e8;
    for (const std::string& name : hottest)
      for (auto& component : components)
        if (component.name == name) {
          component.figures.ranked = ranked;
          component.figures.hotness = ranked / 5e6;
          component.figures.deviation_ns = ranked;
          component.figures.estimated.emplace().cpu_ns = snapshot::Estimate{ranked, ranked, ranked};
          if (figure == RankedFigure::kReal) component.figures.net_real_ns = uint64_t(ranked);
          ranked -= 1e8;
        }
    feed(stage, view);
    for (int i = 0; i < 40; ++i) stage.frame();
    const std::string text = stage.text();
    size_t at = text.find("Hottest");
    REQUIRE(at != std::string::npos);
    CHECK(text.find(without_blanks(std::string(ranked_name(*view.snapshot)))) < at);
    for (const std::string& name : hottest) {
      const auto* component = stage.model.component(name);
      REQUIRE(component);
      const std::string printed =
          without_blanks(ranked_text(*stage.model.snapshot, component->figures));
      CHECK(text.find(printed) < at);  // in its box
      const size_t listed = text.find(name, at);
      REQUIRE(listed != std::string::npos);
      CHECK(text.find(printed, listed) != std::string::npos);
      at = listed;
    }
  }
}

TEST_CASE("map: where all is below the floor nothing glows, and the legend says so") {
  Stage stage(1280, 800);
  snapshot::View view = file_host();
  for (auto& component : view.snapshot->components) component.figures.hotness = 0;
  view.snapshot->heat = snapshot::Heat{HeatScale::kWindow, RankedFigure::kReal, 0, 0, 5e7};
  show_map(stage, std::move(view));
  CHECK(stage.shows("nothing above 1.00 % of a CPU"));
  CHECK_FALSE(stage.shows("hotness 100"));
}

TEST_CASE("map: the legend says below what nothing glows") {
  Stage stage(1280, 800);
  snapshot::View view = file_host();
  view.snapshot->heat = snapshot::Heat{HeatScale::kWindow, RankedFigure::kReal, 35e8, 0, 5e7};
  show_map(stage, std::move(view));
  CHECK(stage.shows("hotness 100 = 3.50 s of 5.00 s"));
  CHECK(stage.shows("below 1.00 % of a CPU: no heat"));
}

TEST_CASE("map: boxes stay where they are while figures change") {
  Stage stage(1280, 800);
  without_details(stage);
  show_map(stage);
  const auto before = places(stage);
  snapshot::View next = file_host();
  next.strip.reset();
  for (auto& component : next.snapshot->components) component.figures.hotness /= 3;
  next.snapshot->edges.push_back({"FileDecrypter", "HTTPServer", 7, 1'000, false});
  feed(stage, std::move(next));
  wait_for_boxes(stage);
  for (const auto& [name, at] : places(stage)) {
    CAPTURE(name);
    CHECK(std::abs(at.x - before.at(name).x) < 1);
    CHECK(std::abs(at.y - before.at(name).y) < 1);
  }
}

TEST_CASE("map: boxes stay where they are while other connections are called, and none is lost") {
  Stage stage(1280, 800);
  without_details(stage);
  show_map(stage);
  const auto before = places(stage);
  const auto stays = [&](const char* what) {
    CAPTURE(what);
    wait_for_boxes(stage);
    for (const auto& [name, at] : places(stage)) {
      CAPTURE(name);
      CHECK(std::abs(at.x - before.at(name).x) < 1);
      CHECK(std::abs(at.y - before.at(name).y) < 1);
    }
  };
  // Ten windows, in each of which other calls were made: declared by what contains them, or not.
  for (size_t round = 0; round < 10; ++round) {
    snapshot::View next = file_host();
    next.strip.reset();
    auto& edges = next.snapshot->edges;
    edges.erase(edges.begin() + ptrdiff_t(round % edges.size()));
    edges.push_back({next.snapshot->components[round].name,
                     next.snapshot->components[(round + 4) % 10].name, 7 + round, 1'000,
                     round % 2 == 0});
    feed(stage, std::move(next));
    stays("other calls");
  }
  // A warning comes, and goes.
  snapshot::View doubted = file_host();
  doubted.strip.reset();
  doubted.snapshot->components[2].figures.uncertain = true;
  feed(stage, std::move(doubted));
  stays("a warning");
  CHECK(stage.shows("hatched"));
  snapshot::View trusted = file_host();
  trusted.strip.reset();
  feed(stage, std::move(trusted));
  stays("no warning");
  CHECK_FALSE(stage.shows("hatched"));
}

TEST_CASE("map: digits never ease, a box and the details say one thing at any moment") {
  Stage stage(1280, 800);
  show_map(stage);
  stage.model.selection.component = "FileHandler";
  stage.settle();
  snapshot::View next = file_host();
  next.strip.reset();
  next.snapshot->components[5].figures.net_real_ns = 1'234'000'000;
  next.snapshot->components[5].figures.hotness = 37;
  give(stage, std::move(next));
  stage.frame(0.01);
  const std::string text = stage.text();
  size_t times = 0;
  for (size_t at = 0; (at = text.find("1.23s", at)) != std::string::npos; ++at) ++times;
  CHECK(times >= 2);
  CHECK(stage.shows("37"));
  CHECK(stage.model.eased_of("FileHandler").hotness > 38);  // the colour is still on its way
}

TEST_CASE("map: a connection that the spec does not have is marked, unless it has none") {
  Stage stage(1280, 800);
  without_details(stage);
  show_map(stage);
  CHECK(stage.shows("called, not in the spec"));
  CHECK_FALSE(stage.shows("in the spec, no call"));
  snapshot::View none = file_host();
  for (auto& edge : none.snapshot->edges) edge.declared = false;
  Stage without(1280, 800);
  without_details(without);
  show_map(without, std::move(none));
  CHECK_FALSE(without.shows("not in the spec"));
}

TEST_CASE("map: what is refused says so, and never that there were no calls") {
  Stage stage(1280, 800);
  without_details(stage);
  snapshot::View view = file_host(3);
  auto& component = view.snapshot->components[1];
  component.status = snapshot::Status::kRefused;
  component.figures = {};
  for (auto& operation : component.operations) {
    operation.exit_mode = snapshot::ExitMode::kRefused;
    operation.reason = "it is inlined everywhere";
  }
  show_map(stage, std::move(view));
  CHECK(stage.shows("refused"));
  CHECK(stage.shows("it is inlined everywhere"));
  CHECK(stage.shows("not observed"));
}

TEST_CASE("map: a click selects, one beside the boxes selects nothing") {
  Stage stage(1280, 800);
  show_map(stage);
  const ImVec2 at = stage.find("FSWriter");
  stage.click(at.x, at.y);
  CHECK(stage.model.selection.component == "FSWriter");
  stage.click(30, 400);
  CHECK(stage.model.selection.component.empty());
}

TEST_CASE("map: a dragged box stays where it was put, all others where they were") {
  Stage stage(1280, 800);
  without_details(stage);
  show_map(stage);
  const auto before = places(stage);
  drag(stage, before.at("FSWriter"), {60, 90});
  wait_for_boxes(stage);
  const auto after = places(stage);
  CHECK(after.at("FSWriter").x - before.at("FSWriter").x == doctest::Approx(60).epsilon(0.05));
  CHECK(after.at("FSWriter").y - before.at("FSWriter").y == doctest::Approx(90).epsilon(0.05));
  CHECK(std::abs(after.at("HTTPServer").x - before.at("HTTPServer").x) < 1);
  CHECK(stage.model.settings.boxes.size() == 1);
  CHECK(stage.model.selection.component.empty());

  stage.app.key(GLFW_KEY_A, false, false);
  stage.settle();
  CHECK(stage.model.settings.boxes.empty());
  const auto back = [&] {
    const ImVec2 at = places(stage).at("FSWriter");
    return std::hypot(at.x - before.at("FSWriter").x, at.y - before.at("FSWriter").y) < 1;
  };
  for (int i = 0; i < 5'000 && !back(); ++i) {
    stage.frame();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  CHECK(back());
}

TEST_CASE("map: the wheel zooms at the pointer, F shows all again") {
  Stage stage(1280, 800);
  without_details(stage);
  show_map(stage);
  const auto before = places(stage);
  const ImVec2 at = before.at("FileHandler");
  stage.move(at.x, at.y);
  for (int i = 0; i < 2; ++i) stage.wheel(1);
  for (int i = 0; i < 40; ++i) stage.frame();
  const ImVec2 zoomed = stage.find("FileHandler");
  CHECK(std::hypot(zoomed.x - at.x, zoomed.y - at.y) < 40);
  stage.move(1, 790);
  stage.app.key(GLFW_KEY_F, false, false);
  for (int i = 0; i < 40; ++i) stage.frame();
  CHECK(std::abs(stage.find("FileHandler").x - at.x) < 1);
}

TEST_CASE("map: a double click leaves a component and its neighbours, a link shows all again") {
  Stage stage(1280, 800);
  without_details(stage);
  show_map(stage);
  const ImVec2 at = stage.find("FileHandler");
  stage.move(at.x, at.y);
  for (int i = 0; i < 2; ++i) stage.press(), stage.release();
  for (int i = 0; i < 40; ++i) stage.frame();
  CHECK(stage.model.settings.isolated ==
        std::set<std::string>{"DirReader", "FileHandler", "FileEncrypter"});
  CHECK_FALSE(stage.shows("HTTPServer"));
  const ImVec2 link = stage.find("7 of 10 components hidden, show all");
  stage.click(link.x, link.y);
  for (int i = 0; i < 40; ++i) stage.frame();
  CHECK(stage.model.settings.isolated.empty());
  CHECK(stage.shows("HTTPServer"));
}

TEST_CASE("map: nested components stand in a frame with their sum") {
  Stage stage(1280, 800);
  without_details(stage);
  snapshot::View view = file_host(3);
  auto& inner = view.snapshot->components[1];
  inner.name = "HTTPServer/AccessControl";
  inner.parent = "HTTPServer";
  view.snapshot->components[0].subtree = {3481, 1'050'000'000, 1'049'000'000};
  view.snapshot->edges.clear();
  show_map(stage, std::move(view));
  CHECK(stage.shows("1.05 s inside, 3,481 calls"));
}

TEST_CASE("map: a thousand components cost a bounded drawing, and the hottest have names") {
  Stage stage(1280, 800);
  without_details(stage);
  show_map(stage, file_host(1000));
  CHECK(ImGui::GetDrawData()->TotalVtxCount < 150'000);
  CHECK(stage.shows("FileDecrypter"));
  CHECK(stage.shows("3.50 s"));
}

TEST_CASE("map: boxes too small for figures have names all the same, each another one") {
  Stage stage(800, 600);
  without_details(stage);
  show_map(stage, file_host(18));
  REQUIRE(stage.shows("24 %"));
  // Columns come closer before names are cut.
  for (const char* name :
       {"HTT…ver", "HTT…er2", "Acce…trol", "Acce…ol2", "FileEn…er", "File…ter2", "FSWriter",
        "FSWriter2", "DirReader", "File…ader", "FileDe…er", "3.50 s"})
    CHECK_MESSAGE(stage.shows(name), name);
}

TEST_CASE("map: a run that has ended comes to rest") {
  Stage stage(1280, 800);
  snapshot::View view = file_host();
  show_map(stage, view);
  CHECK(stage.app.animates());
  view.run.live = false;
  view.strip.reset();
  feed(stage, std::move(view));
  for (int i = 0; i < 40; ++i) stage.frame();
  CHECK_FALSE(stage.app.animates());
}
