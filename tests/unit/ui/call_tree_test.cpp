// SPDX-License-Identifier: Apache-2.0
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <doctest/doctest.h>

#include "graph_samples.h"
#include "ui/views/shared/operation_name.h"

using namespace compmond;
using namespace compmond::ui;

namespace {

struct TreeStage : Stage {
  explicit TreeStage(snapshot::AnalysisView answer = call_tree_of_uploads(), bool flame = false,
                     float width = 1280)
      : Stage(width, 800) {
    show_alone(*this, "Call tree");
    if (flame) model.settings.options["Call tree/flame"] = 1;
    feed_analysis(*this, std::move(answer));
  }
  void press_key(int key) {
    app.key(key, false, false);
    settle();
  }
};

}  // namespace

TEST_CASE(
    "call tree: asks for all traces, or for the class or trace that is chosen and switched to") {
  TreeStage stage;
  auto asked = stage.app.request().analysis;
  REQUIRE(asked);
  CHECK(asked->report == snapshot::Report::kCallTree);
  CHECK_FALSE(asked->trace);
  stage.model.chosen = {77, 3};
  CHECK(stage.app.request().analysis->trace == 77);
  stage.settle();
  CHECK(stage.app.request().analysis->trace == 77);
  const ImVec2 all = stage.find("all traces");
  stage.click(all.x, all.y);
  CHECK_FALSE(stage.app.request().analysis->trace);
  const ImVec2 of_class = stage.find("class 3");
  stage.click(of_class.x, of_class.y);
  CHECK(stage.app.request().analysis->class_number == 3);
  CHECK_FALSE(stage.app.request().analysis->trace);
  stage.model.chosen = {{}, 4};
  CHECK(stage.app.request().analysis->class_number == 4);
  stage.model.chosen = {};
  CHECK_FALSE(stage.app.request().analysis->class_number);
}

TEST_CASE("call tree: rows say calls, raw and real time, deeper ones open by hand") {
  TreeStage stage;
  CHECK(stage.shows("all traces: 20 traces, 100 executions, last 5.00 s"));
  for (const char* text : {"$ outside", "HTTPServer", "UploadManager", "1.00 s", "900 ms"})
    CHECK(stage.shows(text));
  CHECK(stage.shows("FSWriter"));  // so few are all open
  stage.press_key(GLFW_KEY_E);
  CHECK(stage.shows("FileHandler"));
  CHECK_FALSE(stage.shows("FileEncrypter"));
  stage.press_key(GLFW_KEY_E);
  CHECK(stage.shows("FSWriter"));
}

TEST_CASE("call tree: where probes were away calls are at least those and a line says so") {
  const std::string missing = "calls are missing: all probes were there 38 % of the time";
  TreeStage stage;
  CHECK_FALSE(stage.shows(missing));
  CHECK_FALSE(stage.shows("≥"));
  auto busy = call_tree_of_uploads();
  busy.observed_share = 0.38;
  feed_analysis(stage, busy);
  CHECK(stage.shows("≥ " + missing));
  CHECK(stage.shows("≥20 1.00 s"));
  const ImVec2 note = stage.find(missing.c_str());
  stage.move(note.x, note.y);
  stage.settle();
  CHECK(stage.shows("under another caller or under none"));
}

TEST_CASE("call tree: a click on a row selects its operation, the arrow opens it") {
  TreeStage stage;
  stage.press_key(GLFW_KEY_E);
  const ImVec2 row = stage.find("FileHandler");
  stage.click(row.x, row.y);
  CHECK(stage.model.selection.component == "FileHandler");
  CHECK(stage.model.selection.operation == "fh::FileHandler::accept(char const*, unsigned long)");
  stage.press_key(GLFW_KEY_ENTER);
  CHECK(stage.shows("FileEncrypter"));
  stage.press_key(GLFW_KEY_DOWN);
  CHECK(stage.model.selection.component == "FileEncrypter");
  stage.press_key(GLFW_KEY_UP);
  CHECK(stage.model.selection.component == "FileHandler");
  stage.press_key(GLFW_KEY_ENTER);
  CHECK_FALSE(stage.shows("FileEncrypter"));
}

TEST_CASE("call tree: what is selected leads to its traces") {
  TreeStage stage;
  const ImVec2 row = stage.find("FileEncrypter");
  stage.click(row.x, row.y);
  const ImVec2 link = stage.find("traces of FileEncrypter.accept");
  stage.click(link.x, link.y);
  CHECK(std::string(stage.app.kind().label()) == "Traces");
  CHECK(stage.model.traces.component == "FileEncrypter");
  CHECK(stage.model.traces.operation == stage.model.selection.operation);
}

TEST_CASE("call tree: a search keeps what it finds and the way there") {
  TreeStage stage;
  stage.model.search.text = "FSWriter";
  stage.settle();
  CHECK(stage.shows("FSWriter"));
  CHECK(stage.shows("FileEncrypter"));
  stage.model.search.text = "nothing of that kind";
  stage.settle();
  CHECK(stage.shows("Nothing is called that."));
}

TEST_CASE("call tree: what is open stays open when the next answer numbers its paths differently") {
  TreeStage stage;
  stage.press_key(GLFW_KEY_E);
  stage.press_key(GLFW_KEY_END);
  stage.press_key(GLFW_KEY_ENTER);
  CHECK(stage.shows("FileEncrypter"));
  auto next = call_tree_of_uploads();
  next.operations.insert(next.operations.begin(), {"DirReader", "fh::list()"});
  auto& nodes = next.as<snapshot::CallTree>()->nodes;
  for (auto& node : nodes) node.operation += node.operation >= 0;
  nodes.push_back({0, 0, 3, 5'000'000, 5'000'000});
  feed_analysis(stage, next);
  CHECK(stage.shows("DirReader"));
  CHECK(stage.shows("FileEncrypter"));
}

TEST_CASE("flame graph: a box says its operation, a click zooms in, Esc out") {
  TreeStage stage(call_tree_of_uploads(), true);
  for (const char* name : {"$ outside", "HTTPServer", "FSWriter"}) CHECK(stage.shows(name));
  const float wide = stage.find("fh::FSWriter").x;
  const ImVec2 box = stage.find("fh::FSWriter");
  stage.click(box.x, box.y);
  CHECK(stage.model.selection.component == "FSWriter");
  stage.move(2, 2);
  stage.settle();
  CHECK(stage.find("HTTPServer").y < stage.find("fh::FSWriter").y);
  stage.press_key(GLFW_KEY_ESCAPE);
  CHECK(stage.model.selection.component == "FSWriter");  // the zoom goes first
  CHECK(stage.find("fh::FSWriter").x == doctest::Approx(wide).epsilon(0.01));
  stage.press_key(GLFW_KEY_ESCAPE);
  CHECK(stage.model.selection.operation.empty());
}

TEST_CASE("flame graph: keys go to the caller, to what takes longest, and into it") {
  TreeStage stage(call_tree_of_uploads(), true);
  stage.press_key(GLFW_KEY_DOWN);
  CHECK(stage.model.selection.component == "HTTPServer");
  stage.press_key(GLFW_KEY_DOWN);
  CHECK(stage.model.selection.component == "UploadManager");
  stage.press_key(GLFW_KEY_UP);
  CHECK(stage.model.selection.component == "HTTPServer");
  stage.press_key(GLFW_KEY_V);
  CHECK(stage.shows("share of raw"));
}

TEST_CASE("call tree: thousands of paths cost a bounded drawing, in both forms") {
  for (const bool flame : {false, true}) {
    TreeStage stage(call_tree_of_uploads(3'900), flame);
    stage.press_key(GLFW_KEY_E);
    CHECK(ImGui::GetDrawData()->TotalVtxCount < 60'000);
  }
}

TEST_CASE("call tree: without traces it says why and what to do, what is missing is told") {
  Stage waiting(1280, 800);
  show_alone(waiting, "Call tree");
  feed(waiting);
  CHECK(waiting.shows("Waiting for the traces of this window."));

  auto none = uploads();
  none.report = snapshot::Report::kCallTree;
  none.content = snapshot::CallTree{};
  none.traces = none.executions = 0;
  CHECK(TreeStage(none).shows("There is no trace in this window."));
  none.unfinished = 2;
  CHECK(TreeStage(none).shows("No trace has ended in this window."));
  none.unfinished = 0, none.broken = 5;
  CHECK(TreeStage(none).shows("Of 5 traces some executions are not kept any more"));

  auto some = call_tree_of_uploads();
  some.unfinished = 2, some.broken = 1, some.partial = true, some.left_out = 12;
  some.analysed_since_ns = some.start_ns + 1'000'000'000;
  TreeStage stage(some);
  for (const char* text :
       {"2 still running", "1 broken trace left out", "only since 18.0", "12 more not shown"})
    CHECK(stage.shows(text));
}

TEST_CASE("call tree: nothing moves by itself") {
  for (const bool flame : {false, true}) {
    TreeStage stage(call_tree_of_uploads(), flame);
    for (int i = 0; i < 40; ++i) stage.frame();
    CHECK_FALSE(stage.app.animates());
  }
}

TEST_CASE("call tree: fits into a narrow screen") {
  for (const bool flame : {false, true}) {
    TreeStage stage(call_tree_of_uploads(5), flame, 800);
    for (const Glyph& glyph : stage.glyphs()) {
      CHECK(glyph.min.x >= 0);
      CHECK(glyph.max.x <= 801);
    }
    CHECK(stage.shows("UploadManager"));
  }
}

TEST_CASE("short operation: the last part of a name, without parameters") {
  CHECK(short_operation("fh::FileHandler::open(char const*, std::string)") == "open");
  CHECK(short_operation("std::vector<a::b>::push_back(a::b&&)") == "push_back");
  CHECK(short_operation("main") == "main");
  CHECK(short_operation("a::b::") == "a::b::");
}
