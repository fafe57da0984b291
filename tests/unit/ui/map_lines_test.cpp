// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "picture.h"
#include "ui/kit/draw.h"
#include "ui/views/shared/definitions.h"

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

// The map at rest.
void show_map(Stage& stage, snapshot::View view) {
  stage.model.settings.options["frame/details"] = 0;
  REQUIRE(stage.app.show_view("Map"));
  give(stage, std::move(view));
  stage.arrange();
  for (int i = 0; i < 40; ++i) stage.frame();
}

}  // namespace

TEST_CASE("map: lines are as dashed as the key says, also where all is small") {
  const auto drawn = [](uint64_t calls) {
    Stage stage(800, 600);
    snapshot::View view = file_host(18);
    for (auto& edge : view.snapshot->edges) edge.count = calls, edge.declared = true;
    show_map(stage, std::move(view));
    REQUIRE(stage.shows("24 %"));
    CHECK(stage.shows("in the spec, no call") == (calls == 0));
    return shapes(stage);
  };
  constexpr int kOfKey = 8;
  CHECK(drawn(0) > drawn(1) + kOfKey);
}

TEST_CASE("map: a connection that was called in another window is told from one that never was") {
  Stage stage(1280, 800);
  snapshot::View view = file_host();
  auto& edges = view.snapshot->edges;
  for (auto& edge : edges) edge.declared = true;
  snapshot::Edge never = edges.back();
  std::swap(*never.from, never.to);
  never.count = never.raw_ns = 0;
  edges.push_back(never);
  show_map(stage, view);
  CHECK(stage.shows("in the spec, no call"));
  CHECK_FALSE(stage.shows("called in another window"));
  view.strip.reset();
  edges[1].count = 0;
  show_map(stage, view);
  CHECK(stage.shows("in the spec, no call"));
  CHECK(stage.shows("called in another window"));
  edges.pop_back();
  ++view.run.start_ns;  // of another run
  show_map(stage, view);
  CHECK(stage.shows("in the spec, no call"));
  CHECK_FALSE(stage.shows("called in another window"));
}

TEST_CASE("map: no word in a box moves when hatching comes or goes, and small ones keep times") {
  for (const auto& [width, height] :
       {std::pair{760.f, 560.f}, {800.f, 700.f}, {1000.f, 700.f}, {1280.f, 800.f}})
    for (const bool sampled : {false, true}) {
      CAPTURE(width);
      CAPTURE(sampled);
      Stage stage(width, height);
      snapshot::View view = sampled ? sampled_host() : file_host();
      view.strip.reset();
      show_map(stage, view);
      std::vector<std::string> words = {"3.50 s"};
      if (sampled) words.clear();
      for (const auto& name : stage.model.short_names)
        if (stage.shows(name) && name != "AccessControl")  // which the note names, too
          words.push_back(name);
      REQUIRE(words.size() > 4);
      std::vector<ImVec2> before;
      for (const std::string& word : words) before.push_back(stage.find(word));
      for (auto& component : view.snapshot->components) component.figures.uncertain = true;
      show_map(stage, view);
      CHECK(stage.shows("hatched"));
      for (size_t i = 0; i < words.size(); ++i) {
        CAPTURE(words[i]);
        REQUIRE(stage.shows(words[i]));
        CHECK(stage.find(words[i]).x == before[i].x);
        CHECK(stage.find(words[i]).y == before[i].y);
      }
    }
}

TEST_CASE("map: what a tooltip says is broken into lines once") {
  Stage stage(1280, 800);
  show_map(stage, file_host());
  const ImVec2 box = stage.find("FileDecrypter");
  stage.move(box.x, box.y);
  stage.settle();
  const auto glyphs = stage.glyphs();
  std::map<const ImDrawList*, std::string> texts;
  for (const Glyph& glyph : glyphs) texts[glyph.list] += utf8(glyph.code);
  std::set<float> lines;  // of the definition
  for (const Glyph& glyph : glyphs)
    if (texts[glyph.list].find("Dragtomove") != std::string::npos &&
        glyph.colour == stage.theme.dim)
      lines.insert(glyph.pen.y);
  const std::string definition = std::string(ui::definition(Term::kNetReal).text) +
                                 "\nDrag to move, double click for it and its neighbours alone.";
  const std::string once = wrapped(stage.theme.body, definition, stage.theme.px(340));
  CHECK(lines.size() == size_t(std::ranges::count(once, '\n')) + 1);
}
