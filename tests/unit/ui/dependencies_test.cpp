// SPDX-License-Identifier: Apache-2.0
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <doctest/doctest.h>

#include <cmath>

#include "graph_samples.h"
#include "ui/views/dependencies/dependency_data.h"

using namespace compmond;
using namespace compmond::ui;

namespace {

struct GraphStage : Stage {
  explicit GraphStage(bool operations = false, float width = 1280, float height = 800)
      : Stage(width, height) {
    show_alone(*this, "Dependencies");
    if (operations) model.settings.options["Dependencies/operations"] = 1;
    feed_analysis(*this, dependencies_of_uploads(operations));
    wait_for_graph(*this, "FSWriter");
  }
  void press_key(int key) {
    app.key(key, false, false);
    settle();
  }
};

}  // namespace

TEST_CASE("dependencies: boxes say how often they were called and how long it took") {
  GraphStage stage;
  CHECK(stage.app.request().analysis->report == snapshot::Report::kDependencyGraph);
  CHECK(stage.app.request().analysis->level == snapshot::Level::kComponent);
  for (const char* text : {"$ outside", "HTTPServer", "27 · 15.3 ms", "self 7", "100 · 16.0 ms",
                           "all traces: 20 traces, 100 executions"})
    CHECK(stage.shows(text));
}

TEST_CASE("dependencies: where probes were away calls are at least those, in graph and matrix") {
  GraphStage stage;
  CHECK_FALSE(stage.shows("≥"));
  auto busy = dependencies_of_uploads(false);
  busy.observed_share = 0.38;
  feed_analysis(stage, busy);
  wait_for_graph(stage, "≥27 · 15.3 ms");
  CHECK(stage.shows("self ≥7"));
  CHECK(stage.shows("≥ calls are missing: all probes were there 38 % of the time"));
  stage.press_key(GLFW_KEY_V);
  CHECK(stage.shows("≥80"));
  const ImVec2 cell = stage.find("≥80");
  stage.move(cell.x, cell.y);
  stage.settle();
  CHECK(stage.shows("≥80 calls"));
}

TEST_CASE("dependencies: where no trace is whole as probes were away, no newer window is advised") {
  GraphStage stage;
  auto none = dependencies_of_uploads(false);
  none.traces = 0;
  none.broken = 12;
  feed_analysis(stage, none);
  stage.settle();
  CHECK(stage.shows("A window closer to now (L) has whole ones."));
  none.observed_share = 0.38;
  feed_analysis(stage, none);
  stage.settle();
  CHECK_FALSE(stage.shows("A window closer to now"));
  CHECK(stage.shows("A window in which they were there has whole ones."));
}

TEST_CASE("dependencies: boxes stay where they are while counts change and a call comes along") {
  GraphStage stage;
  const ImVec2 before = stage.find("FSWriter"), server = stage.find("HTTPServer");
  auto next = dependencies_of_uploads(false);
  auto& edges = next.as<snapshot::DependencyGraph>()->edges;
  for (auto& edge : edges) edge.count *= 50;
  edges.push_back({4, 1, 5, 1'000, 2'000, 3'000});
  feed_analysis(stage, next);
  wait_for_graph(stage, "1 line came after this arrangement");
  CHECK(std::abs(stage.find("FSWriter").x - before.x) < 1);
  CHECK(std::abs(stage.find("FSWriter").y - before.y) < 1);
  CHECK(std::abs(stage.find("HTTPServer").x - server.x) < 1);
  stage.press_key(GLFW_KEY_A);
  for (int i = 0; i < 2; ++i) wait_for_graph(stage, "FSWriter");
  CHECK_FALSE(stage.shows("came after this arrangement"));
}

TEST_CASE("dependencies: what is not called any more keeps its box, without figures") {
  GraphStage stage;
  auto next = dependencies_of_uploads(false);
  auto& graph = *next.as<snapshot::DependencyGraph>();
  graph.nodes.pop_back();
  std::erase_if(graph.edges, [](const auto& edge) { return edge.to == 4; });
  feed_analysis(stage, next);
  CHECK(stage.shows("FSWriter"));
  CHECK(stage.shows("not called"));
}

TEST_CASE("dependencies: a click on a box selects it, at the level of operations in frames") {
  GraphStage stage(true);
  CHECK(stage.app.request().analysis->level == snapshot::Level::kOperation);
  const ImVec2 box = stage.find("accept");
  stage.click(box.x, box.y);
  CHECK(stage.model.selection.operation ==
        "fh::" + stage.model.selection.component + "::accept(char const*, unsigned long)");
  stage.press_key(GLFW_KEY_O);
  CHECK(stage.app.request().analysis->level == snapshot::Level::kProgram);
  stage.press_key(GLFW_KEY_O);
  CHECK(stage.app.request().analysis->level == snapshot::Level::kComponent);
}

TEST_CASE("dependencies: programs are boxes and rows of their own, and no component is selected") {
  GraphStage stage;
  for (int i = 0; i < 2; ++i) stage.press_key(GLFW_KEY_O);
  CHECK(stage.app.request().analysis->level == snapshot::Level::kProgram);
  snapshot::AnalysisView answer;
  answer.report = snapshot::Report::kDependencyGraph;
  answer.level = snapshot::Level::kProgram;
  answer.traces = answer.executions = 3;
  snapshot::DependencyGraph graph;
  graph.nodes = {{"", "", "shop"}, {"", "", "bank"}};
  graph.edges = {{-1, 0, 5, 1'000, 2'000, 3'000}, {0, 1, 21, 1'000, 2'000, 3'000}};
  answer.content = graph;
  feed_analysis(stage, answer);
  wait_for_graph(stage, "bank");
  CHECK(stage.shows("21 · 2.00 µs"));
  const ImVec2 box = stage.find("bank");
  stage.click(box.x, box.y);
  CHECK(stage.model.selection.component.empty());
  stage.press_key(GLFW_KEY_V);
  for (const char* text : {"shop", "bank", "21"}) CHECK(stage.shows(text));
}

TEST_CASE("dependencies: the matrix has a row per caller and a count per call") {
  GraphStage stage;
  stage.press_key(GLFW_KEY_V);
  CHECK_FALSE(stage.app.animates());
  CHECK(stage.shows("row calls column"));
  CHECK(stage.shows("$ outside"));
  for (const char* count : {"20", "40", "60", "80", "100", "7"}) CHECK(stage.shows(count));
  const ImVec2 cell = stage.find("80");
  stage.click(cell.x, cell.y);
  CHECK(stage.model.selection.component == "FileEncrypter");
  stage.move(cell.x, cell.y);
  stage.settle();
  CHECK(stage.shows("FileHandler → FileEncrypter"));
  CHECK(stage.shows("min 7.00 ms, mean 17.0 ms, max 27.0 ms"));
}

TEST_CASE("dependencies: a matrix of a thousand components draws what can be seen") {
  Stage stage(1280, 800);
  show_alone(stage, "Dependencies");
  stage.model.settings.options["Dependencies/matrix"] = 1;
  auto answer = dependencies_of_uploads(false);
  auto& graph = *answer.as<snapshot::DependencyGraph>();
  for (int i = 0; i < 1'000; ++i) {
    graph.nodes.push_back({"Part" + std::to_string(i), ""});
    graph.edges.push_back({i, 5 + i, 3, 1, 2, 3});
  }
  feed_analysis(stage, answer);
  CHECK(ImGui::GetDrawData()->TotalVtxCount < 60'000);
  CHECK(stage.shows("HTTPServer"));
  CHECK_FALSE(stage.shows("Part900"));
}

TEST_CASE("dependencies: fits into every screen, dark and light") {
  for (const auto& [width, height] : {std::pair(800.f, 600.f), {2560.f, 1440.f}})
    for (const bool matrix : {false, true}) {
      GraphStage stage(false, width, height);
      stage.model.settings.dark = matrix;
      if (matrix) stage.press_key(GLFW_KEY_V);
      for (int i = 0; i < 40; ++i) stage.frame();
      CHECK(stage.shows("UploadManager"));
      for (const Glyph& glyph : stage.glyphs()) {
        CHECK(glyph.min.x >= 0);
        CHECK(glyph.max.x <= width + 1);
      }
    }
}

TEST_CASE("dependency data: response times of several callers are joined by their counts") {
  DependencyData data;
  snapshot::DependencyGraph answer;
  answer.nodes = {{"A", ""}, {"B", ""}};
  answer.edges = {{-1, 1, 10, 5, 10, 20}, {0, 1, 30, 2, 50, 90}, {7, 1, 1, 1, 1, 1}};
  data.take(answer);
  const auto& b = data.nodes[size_t(data.graph.node("B\n"))];
  CHECK(b.called.count == 40);
  CHECK(b.called.min_ns == 2);
  CHECK(b.called.mean_ns == 40);
  CHECK(b.called.max_ns == 90);
}
