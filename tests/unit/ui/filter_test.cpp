// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include "stage.h"
#include "ui/views/kinds.h"

using namespace compmond;
using namespace compmond::ui;

namespace {

snapshot::View with_threads() {
  snapshot::View view = file_host();
  for (size_t i = 0; i < view.snapshot->threads.size(); ++i) {
    view.snapshot->threads[i].tid = 5000 + int64_t(i);
    view.snapshot->threads[i].name = i == 0 ? "acceptor" : "worker";
  }
  return view;
}

// Opens the list of a chip and chooses a line of it.
void choose(Stage& stage, const char* chip, const char* line) {
  const ImVec2 at = stage.find(chip);
  stage.click(at.x, at.y);
  const ImVec2 one = stage.find(line);
  stage.click(one.x, one.y);
}

}  // namespace

TEST_CASE("filter: a filter that is on is said in every view, and X takes it off") {
  Stage stage(800, 600);
  stage.model.settings.filter.components = {"FileEncrypter"};
  stage.model.settings.filter.min_duration_ns = 3'000'000;
  feed(stage);
  for (const ViewKind& kind : view_kinds()) {
    REQUIRE(stage.app.show_view(kind.label()));
    stage.settle();
    INFO(kind.label());
    CHECK(stage.shows("counts only"));
    CHECK(stage.shows("at least 3.00 ms"));
    CHECK(stage.shows("count all (X)"));
    CHECK(stage.app.request().filter.components == std::vector<std::string>{"FileEncrypter"});
  }
  stage.app.character('x');
  stage.settle();
  CHECK_FALSE(stage.shows("count all"));
  CHECK(stage.app.request().filter == snapshot::ViewFilter{});
}

TEST_CASE("filter: I opens it to be edited, without a choice it goes as it came") {
  Stage stage(1280, 800);
  feed(stage);
  CHECK_FALSE(stage.shows("all components"));
  stage.app.character('i');
  stage.settle();
  for (const char* chip :
       {"all components", "all operations", "any duration", "all threads", "close (I)"})
    CHECK(stage.shows(chip));
  stage.app.key(GLFW_KEY_ESCAPE, false, false);
  stage.settle();
  CHECK_FALSE(stage.shows("all components"));
}

TEST_CASE("filter: its lists choose components, operations of them, durations and threads") {
  Stage stage(1280, 800);
  REQUIRE(stage.app.show_view("Health"));  // whose texts are others than those of the lists
  feed(stage, with_threads());
  stage.app.character('I');
  stage.settle();
  const auto& filter = stage.model.settings.filter;
  choose(stage, "all components", "FileEncrypter");
  CHECK(filter.components == std::vector<std::string>{"FileEncrypter"});
  stage.click(600, 700);  // beside the list, which closes
  choose(stage, "all operations", "fh::FileEncrypter::send");
  CHECK(filter.operations == std::vector<std::string>{"fh::FileEncrypter::send"});
  CHECK_FALSE(stage.shows("fh::FileReader::send"));
  stage.click(600, 700);
  choose(stage, "any duration", "at least 10.0 ms");
  CHECK(filter.min_duration_ns == 10'000'000);
  choose(stage, "all threads", "acceptor  5000");
  CHECK(filter.threads == std::vector<int64_t>{5000});
  stage.click(600, 700);
  CHECK(stage.shows("thread 5000"));
  const ImVec2 off = stage.find("count all (X)");
  stage.click(off.x, off.y);
  CHECK(filter == snapshot::ViewFilter{});
}

TEST_CASE("filter: a choice that is chosen again is taken back, a long list is searched") {
  Stage stage(1280, 800);
  REQUIRE(stage.app.show_view("Health"));
  feed(stage, file_host(300));
  stage.model.filter_open = true;
  stage.settle();
  const ImVec2 chip = stage.find("all components");
  stage.click(chip.x, chip.y);
  for (const char c : std::string("FSWriter7")) {
    ImGui::GetIO().AddInputCharacter(unsigned(c));
    stage.app.character(unsigned(c));  // typed, not meant for the frame
    stage.frame();
  }
  stage.settle();
  CHECK_FALSE(stage.shows("FileReader9"));
  const ImVec2 found = stage.find("FSWriter7");
  (void)found;
  CHECK(stage.model.settings.filter.components.empty());
}
