// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include "stage.h"

using namespace compmond;
using namespace compmond::ui;

namespace {

constexpr uint64_t kSecond = 1'000'000'000;

}  // namespace

TEST_CASE("keys: digits switch views, selection and window stay") {
  Stage stage(1280, 800);
  feed(stage);
  stage.model.selection.component = "FileReader";
  pause(stage.model);
  const uint64_t start = stage.model.window.start_ns;
  for (unsigned digit = '1'; digit <= '8'; ++digit) {
    stage.app.character(digit);
    stage.settle();
  }
  stage.app.character('1');
  stage.app.character('h');
  CHECK(std::string(stage.app.kind().label()) == "Health");
  stage.app.character('h');
  CHECK(std::string(stage.app.kind().label()) != "Health");
  CHECK(stage.model.selection.component == "FileReader");
  CHECK(stage.model.window.start_ns == start);
}

TEST_CASE("keys: space pauses and goes on, L goes back to live with the same length") {
  Stage stage(1280, 800);
  feed(stage);
  stage.app.character(' ');
  CHECK_FALSE(stage.model.window.live);
  CHECK(stage.model.window.end_ns - stage.model.window.start_ns == 5 * kSecond);
  stage.app.character(' ');
  CHECK(stage.model.window.live);
  stage.app.character(' ');
  stage.app.key(GLFW_KEY_LEFT, false, false);
  stage.app.character('L');
  CHECK(stage.model.window.live);
  CHECK(stage.model.window.length_ns == 5 * kSecond);
}

TEST_CASE("keys: arrows move the window, plus and minus size it, never beyond the run") {
  Stage stage(1280, 800);
  feed(stage);
  stage.app.key(GLFW_KEY_LEFT, false, false);
  CHECK_FALSE(stage.model.window.live);
  const uint64_t moved = stage.model.window.end_ns;
  CHECK(moved < stage.model.now_ns() - kSecond / 2);
  stage.app.character('+');
  CHECK(stage.model.window.end_ns - stage.model.window.start_ns > 6 * kSecond);
  stage.app.character('-');
  for (int i = 0; i < 50; ++i) stage.app.key(GLFW_KEY_LEFT, false, true);
  CHECK(stage.model.window.start_ns == stage.model.run.start_ns);
  for (int i = 0; i < 50; ++i) stage.app.key(GLFW_KEY_RIGHT, false, true);
  CHECK(stage.model.window.end_ns <= stage.model.now_ns());
  for (int i = 0; i < 100; ++i) stage.app.character('+');
  CHECK(stage.model.window.end_ns - stage.model.window.start_ns <=
        stage.model.now_ns() - stage.model.run.start_ns);
  for (int i = 0; i < 200; ++i) stage.app.character('-');
  CHECK(stage.model.window.end_ns - stage.model.window.start_ns == 1000);
}

TEST_CASE("keys: up and down select components in turn, skipping hidden ones") {
  Stage stage(1280, 800);
  feed(stage);
  stage.model.settings.hidden = {"AccessControl"};
  stage.app.key(GLFW_KEY_DOWN, false, false);
  CHECK(stage.model.selection.component == "HTTPServer");
  stage.app.key(GLFW_KEY_DOWN, false, false);
  CHECK(stage.model.selection.component == "UploadManager");
  stage.app.key(GLFW_KEY_UP, false, false);
  stage.app.key(GLFW_KEY_UP, false, false);
  CHECK(stage.model.selection.component == "FileDecrypter");
}

TEST_CASE("keys: Esc takes back one thing at a time") {
  Stage stage(1280, 800);
  feed(stage);
  stage.model.settings.isolated = {"FileReader"};
  stage.model.selection = {"FileReader", "fh::FileReader::accept", {}};
  stage.app.character('?');
  stage.settle();
  CHECK(stage.shows("back to live"));
  stage.app.key(GLFW_KEY_ESCAPE, false, false);
  stage.settle();
  CHECK_FALSE(stage.shows("back to live"));
  stage.app.key(GLFW_KEY_ESCAPE, false, false);
  CHECK(stage.model.selection.operation.empty());
  stage.app.key(GLFW_KEY_ESCAPE, false, false);
  CHECK(stage.model.selection.component.empty());
  stage.app.key(GLFW_KEY_ESCAPE, false, false);
  CHECK(stage.model.settings.isolated.empty());
}

namespace {

void tap(Stage& stage, int glfw_key) {
  ImGuiIO& io = ImGui::GetIO();
  stage.app.key(glfw_key, false, false);
  io.KeysDown[glfw_key] = true;
  stage.frame();
  io.KeysDown[glfw_key] = false;
  stage.settle();
}

}  // namespace

TEST_CASE("keys: lists open by a key, arrows and Enter stay in them, Esc closes nothing else") {
  Stage stage(1280, 800);
  feed(stage);
  stage.model.selection.component = "FileReader";
  stage.app.character('w');
  stage.settle();
  REQUIRE(stage.shows("99 of 100"));
  const uint64_t start = stage.model.interval().start_ns;
  tap(stage, GLFW_KEY_DOWN);
  CHECK(stage.model.selection.component == "FileReader");
  tap(stage, GLFW_KEY_ENTER);
  CHECK(stage.model.settings.metric == "p99");
  CHECK_FALSE(stage.shows("99 of 100"));
  stage.app.character('W');
  stage.settle();
  REQUIRE(stage.shows("99 of 100"));
  tap(stage, GLFW_KEY_ESCAPE);
  CHECK_FALSE(stage.shows("99 of 100"));
  CHECK(stage.model.selection.component == "FileReader");
  CHECK(stage.model.window.live);
  CHECK(stage.model.interval().start_ns == start);
  // What follows means what it always means.
  stage.app.key(GLFW_KEY_ESCAPE, false, false);
  CHECK(stage.model.selection.component.empty());
  stage.app.character('u');
  stage.settle();
  CHECK(stage.shows("colour-blind safe"));
  stage.app.character('3');
  stage.settle();
  CHECK_FALSE(stage.shows("colour-blind safe"));
  CHECK(std::string(stage.app.kind().label()) == "Table");
}

TEST_CASE("keys: a click beside a list closes it, the next one means what it always means") {
  Stage stage(1280, 800);
  REQUIRE(stage.app.show_view("Table"));
  feed(stage);
  stage.app.character('w');
  stage.settle();
  REQUIRE(stage.shows("99 of 100"));
  const ImVec2 row = stage.find("FSWriter");
  stage.click(row.x, row.y);
  CHECK_FALSE(stage.shows("99 of 100"));
  stage.click(row.x, row.y);
  CHECK(stage.model.selection.component == "FSWriter");
}

TEST_CASE("keys: tooltips go while keys are used, and come back with the mouse") {
  Stage stage(1280, 800);
  REQUIRE(stage.app.show_view("Table"));
  feed(stage);
  const ImVec2 head = stage.find("hotness");
  stage.move(head.x, head.y);
  stage.settle();
  REQUIRE(stage.shows("Click sorts."));
  stage.app.key(GLFW_KEY_DOWN, false, false);
  stage.settle();
  CHECK_FALSE(stage.shows("Click sorts."));
  stage.move(head.x + 2, head.y);
  stage.settle();
  CHECK(stage.shows("Click sorts."));
}

TEST_CASE("keys: S and P wish for a snapshot and a picture, T changes the theme, D the details") {
  Stage stage(1280, 800);
  feed(stage);
  stage.app.character('s');
  stage.app.character('P');
  CHECK(stage.model.wishes.snapshot);
  CHECK(stage.model.wishes.picture);
  stage.app.character('t');
  stage.settle();
  CHECK_FALSE(stage.theme.dark);
  CHECK(stage.theme.body != nullptr);
  REQUIRE(stage.app.show_view("Table"));
  stage.settle();
  CHECK(stage.shows("Hottest"));
  stage.app.character('d');
  stage.settle();
  CHECK_FALSE(stage.shows("Hottest"));
}

TEST_CASE("keys: right after a search has found or was left, keys mean what they mean again") {
  for (const int last : {GLFW_KEY_ENTER, GLFW_KEY_ESCAPE}) {
    Stage stage(1280, 800);
    feed(stage);
    stage.app.character('/');
    stage.model.search.text = "decrypt";
    stage.settle();
    stage.app.key(last, false, false);
    stage.frame();
    stage.app.character(' ');
    CHECK_FALSE(stage.model.window.live);
  }
}

TEST_CASE("keys: what is typed before the search field has the keys is not lost") {
  for (size_t early = 0; early <= 7; ++early) {
    Stage stage(1280, 800);
    feed(stage);
    stage.app.character('/');
    const std::string word = "decrypt";
    for (size_t i = 0; i < word.size(); ++i) {
      ImGui::GetIO().AddInputCharacter(unsigned(word[i]));
      stage.app.character(unsigned(word[i]));
      if (i >= early) stage.frame();
    }
    stage.settle();
    CHECK(stage.model.search.text == word);
  }
}

TEST_CASE("keys: slash and Ctrl F search, what is found is listed, the first can be chosen") {
  Stage stage(1280, 800);
  feed(stage);
  stage.app.key(GLFW_KEY_F, true, false);
  CHECK(stage.model.search.open);
  stage.model.search.text = "decrypt";
  stage.settle();
  stage.app.character(' ');  // typed, not meant for the frame
  CHECK(stage.model.window.live);
  stage.app.key(GLFW_KEY_ESCAPE, false, false);
  CHECK_FALSE(stage.model.search.open);
  stage.settle();
  stage.app.character('/');
  stage.model.search.text = "decrypt";
  stage.settle();
  stage.app.key(GLFW_KEY_DOWN, false, false);
  stage.app.key(GLFW_KEY_ENTER, false, false);
  stage.settle();
  CHECK(stage.model.selection.operation == "fh::FileDecrypter::accept");
  stage.model.selection = {};
  stage.app.character('/');
  stage.model.search.text = "decrypt";
  stage.settle();
  const ImVec2 hit = stage.find("fh::FileDecrypter::accept");
  stage.click(hit.x, hit.y);
  CHECK(stage.model.selection.component == "FileDecrypter");
  CHECK_FALSE(stage.model.search.open);
}
