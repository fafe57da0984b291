// SPDX-License-Identifier: Apache-2.0
// Every view of recorded runs, busy and idle, as tests/ui/record_scene.py wrote them.
#include <GLFW/glfw3.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "graph_samples.h"
#include "picture.h"
#include "text_boxes.h"
#include "ui/views/kinds.h"

using namespace compmond;
using namespace compmond::ui;

namespace {

constexpr std::pair<float, float> kSizes[] = {{800, 600}, {1280, 800}, {2560, 1440}};

// What a daemon answered at one moment of a run.
struct Scene {
  snapshot::View view;
  std::map<std::string, snapshot::AnalysisView> analyses;  // by report
};

Scene scene(const std::string& name) {
  std::ifstream file(std::string(SOURCE_DIR) + "/tests/unit/ui/scenes/" + name + ".jsonl");
  Scene out;
  for (std::string line; std::getline(file, line);) {
    auto answer = snapshot::answer_from_line(line);
    REQUIRE_MESSAGE(answer, (answer ? "" : answer.error().text()));
    REQUIRE(answer->view);
    if (auto& analysis = answer->view->analysis)
      out.analyses[std::string(analysis->report.text())] = std::move(*analysis);
    else
      out.view = std::move(*answer->view);
  }
  REQUIRE(out.view.snapshot);
  return out;
}

// The view at rest, with what it asked for.
void show(Stage& stage, ViewId view, const Scene& of) {
  stage.app.show_view(view);
  feed(stage, of.view);
  snapshot::View answer = of.view;
  if (const auto request = stage.app.request().analysis) {
    const auto found = of.analyses.find(std::string(request->report.text()));
    if (found != of.analyses.end()) answer.analysis = found->second;
  }
  give(stage, std::move(answer));
  if (view == ViewId::kMap) stage.arrange();
  stage.settle();
  if (view == ViewId::kDependencies || view == ViewId::kMarkov) wait_for_graph(stage, "");
  if (view != ViewId::kMarkov) return;
  stage.app.key(GLFW_KEY_F, false, false);  // else a large chain goes on beyond the edge
  stage.settle();
  wait_for_graph(stage, "");
}

// Of the names that are cut, each is another one.
void cut_names_differ(const Stage& stage) {
  std::vector<std::string> cut;
  for (const std::string& line : picture(stage, "view"))
    if (line.starts_with("text") && line.find("…") != std::string::npos)
      cut.push_back(line.substr(line.rfind('#') + 10));
  std::ranges::sort(cut);
  const auto twice = std::ranges::adjacent_find(cut);
  CHECK_MESSAGE(twice == cut.end(), (twice == cut.end() ? "" : *twice));
}

}  // namespace

TEST_CASE("scenes: no text stands on another, none is cut, no two names are cut alike") {
  for (const char* name : {"filehost-busy", "filehost-idle", "postgresql-busy", "postgresql-gentle",
                           "postgresql-idle", "redis-busy", "redis-idle"}) {
    const Scene of = scene(name);
    for (const ViewKind& kind : view_kinds())
      for (const auto& [width, height] : kSizes) {
        INFO(std::string(name) << ", " << std::string(kind.label()) << ", " << width << "x"
                               << height);
        Stage stage(width, height);
        show(stage, kind.id, of);
        REQUIRE(stage.glyphs().size() > 100);
        nothing_is_cut(stage, width, height);
        nothing_overlaps(stage);
        if (kind.id == ViewId::kMap || kind.id == ViewId::kTable ||
            kind.id == ViewId::kDependencies)
          cut_names_differ(stage);
      }
  }
}

TEST_CASE("scenes: the map of redis names all boxes and frames in full, on a small screen too") {
  for (const char* name : {"redis-busy", "redis-idle"}) {
    CAPTURE(std::string(name));
    Stage stage(800, 600);
    show(stage, ViewId::kMap, scene(name));
    size_t commands = 0;
    for (const std::string& line : picture(stage, "view")) {
      if (!line.starts_with("text")) continue;
      CHECK_MESSAGE(line.find("…") == std::string::npos, line);
      commands += line.ends_with(" Commands");
    }
    CHECK(commands == 2);  // a box, and the frame around it and what it contains
  }
}
