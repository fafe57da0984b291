// SPDX-License-Identifier: Apache-2.0
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <doctest/doctest.h>

#include "graph_samples.h"
#include "ui/views/markov/markov_data.h"

using namespace compmond;
using namespace compmond::ui;

namespace {

struct MarkovStage : Stage {
  explicit MarkovStage(bool operations = false, float width = 1280, float height = 800)
      : Stage(width, height) {
    show_alone(*this, "Markov");
    if (operations) model.settings.options["Markov/operations"] = 1;
    feed_analysis(*this, markov_of_uploads(operations));
    wait_for_graph(*this, operations ? "accept" : "FSWriter");
  }
  void press_key(int key) {
    app.key(key, false, false);
    settle();
  }
};

}  // namespace

TEST_CASE("markov: states are calls and returns, unlikely transitions are hidden and counted") {
  MarkovStage stage;
  CHECK(stage.app.request().analysis->report == snapshot::Report::kMarkov);
  for (const char* text : {"outside calls", "HTTPServer calls", "FSWriter returns to",
                           "1 of 10 transitions are less likely and hidden"})
    CHECK(stage.shows(text));
  stage.press_key(GLFW_KEY_B);
  CHECK_FALSE(stage.shows("less likely"));
  stage.press_key(GLFW_KEY_N);
  CHECK(stage.shows("less likely"));
}

TEST_CASE("markov: a click on a state lists what comes before and after, a line leads there") {
  MarkovStage stage;
  const ImVec2 state = stage.find("UploadManager calls");
  stage.click(state.x, state.y);
  CHECK(stage.model.selection.component == "FileHandler");
  CHECK(stage.shows("comes after"));
  CHECK(stage.shows("HTTPServer calls UploadManager"));
  CHECK(stage.shows("FileHandler calls FileEncrypter"));
  CHECK(stage.shows("99.5 %"));
  CHECK(stage.shows("0.50 %"));  // also what the graph hides
  const ImVec2 next = stage.find("FileHandler calls FileEncrypter");
  stage.click(next.x, next.y);
  CHECK(stage.model.selection.component == "FileEncrypter");
  CHECK(stage.shows("FileEncrypter calls FSWriter"));
  stage.press_key(GLFW_KEY_ESCAPE);
  CHECK_FALSE(stage.shows("comes after"));
}

TEST_CASE("markov: up and down go through the states, which say where traces begin and end") {
  MarkovStage stage;
  stage.press_key(GLFW_KEY_DOWN);
  CHECK(stage.model.selection.component == "HTTPServer");
  CHECK(stage.shows("nothing: traces begin with it"));
  stage.press_key(GLFW_KEY_UP);
  CHECK(stage.shows("nothing: traces end with it"));
}

TEST_CASE("markov: states stay where they are while probabilities change") {
  MarkovStage stage;
  const ImVec2 before = stage.find("FileEncrypter calls");
  auto next = markov_of_uploads();
  auto& transitions = next.as<snapshot::Markov>()->transitions;
  transitions[2].probability = 0.6;
  transitions.back().probability = 0.4;
  feed_analysis(stage, next);
  wait_for_graph(stage, "40 %");
  CHECK(stage.find("FileEncrypter calls").x == doctest::Approx(before.x).epsilon(0.001));
  CHECK_FALSE(stage.shows("less likely"));
}

TEST_CASE("markov: operations are named briefly, and fit into a narrow screen") {
  MarkovStage stage(true, 800, 600);
  CHECK(stage.app.request().analysis->level == snapshot::Level::kOperation);
  for (const Glyph& glyph : stage.glyphs()) {
    CHECK(glyph.min.x >= 0);
    CHECK(glyph.max.x <= 801);
  }
}

TEST_CASE("markov data: numbers that do not exist are left out") {
  MarkovData data;
  snapshot::Markov answer = *markov_of_uploads().as<snapshot::Markov>();
  answer.states.push_back({99, -1, true});
  answer.transitions.push_back({0, 99, 1, 1});
  answer.transitions.push_back({3, 3, 0.25, 5});
  data.take(answer);
  CHECK(data.states[3].itself_count == 5);
  CHECK(data.out_of(3).size() == 2);
  CHECK(data.into(3).size() == 2);
}
