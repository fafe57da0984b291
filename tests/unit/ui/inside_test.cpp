// SPDX-License-Identifier: Apache-2.0
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <doctest/doctest.h>

#include <cmath>

#include "inside_samples.h"
#include "ui/views/inside/inside_data.h"

using namespace compmond;
using namespace compmond::ui;
using snapshot::Inside;

namespace {

constexpr float kMiddle = 664;  // of a screen that is 1280 wide
constexpr bool kTable = false, kDrawing = true;

struct InsideStage : Stage {
  explicit InsideStage(snapshot::AnalysisView answer = inside_of_encrypter(), float width = 1280,
                       float height = 800)
      : Stage(width, height) {
    REQUIRE(app.show_view("Inside"));
    model.selection.component = "FileEncrypter";
    feed_inside(*this, std::move(answer));
  }
  void press_key(int key) {
    app.key(key, false, false);
    settle();
  }
  // Where it stands in the table, or in the drawing at its right.
  ImVec2 find_in(bool drawing, const std::string& what) const {
    std::vector<Glyph> part;
    for (const Glyph& glyph : glyphs())
      if ((glyph.min.x > kMiddle) == drawing) part.push_back(glyph);
    for (size_t from = 0; from < part.size(); ++from) {
      std::string got;
      for (size_t to = from; to < part.size() && got.size() < what.size(); ++to)
        got += utf8(part[to].code);
      if (got == what) return part[from].min;
    }
    FAIL("'" << what << "' is not in the " << (drawing ? "drawing" : "table") << ": " << text());
    return {};
  }
  void hover(bool drawing, const char* what) {
    const ImVec2 at = find_in(drawing, what);
    move(at.x + 2, at.y + 2);
    settle();
  }
  void leave() {
    move(-1, -1);
    settle();
  }
};

Inside& inside_of(snapshot::AnalysisView& answer) { return *answer.as<Inside>(); }

// Presses twice within the time of a double click.
void double_click(Stage& stage, ImVec2 at) {
  stage.move(at.x, at.y);
  for (int i = 0; i < 2; ++i) {
    stage.press();
    stage.release();
  }
  stage.settle();
}

void check_fits(const Stage& stage, float width, float height) {
  for (const Glyph& glyph : stage.glyphs()) {
    CHECK(glyph.min.x >= 0);
    CHECK(glyph.max.x <= width + 1);
    CHECK(glyph.max.y <= height + 1);
  }
}

}  // namespace

TEST_CASE("inside: asks for the selected component or operation, else the hottest, then the last") {
  Stage stage(1280, 800);
  REQUIRE(stage.app.show_view("Inside"));
  feed(stage, sampled_host());
  auto asked = stage.app.request().analysis;
  REQUIRE(asked);
  CHECK(asked->report == snapshot::Report::kInside);
  CHECK(asked->component == "FileDecrypter");
  stage.model.selection = {"FileReader", "fh::FileReader::accept", {}};
  stage.settle();
  CHECK(stage.app.request().analysis->component == "FileReader");
  CHECK(stage.app.request().analysis->operation == "fh::FileReader::accept");
  stage.app.key(GLFW_KEY_ESCAPE, false, false);
  stage.settle();
  CHECK(stage.app.request().analysis->operation.empty());
  stage.app.key(GLFW_KEY_ESCAPE, false, false);
  stage.settle();
  CHECK(stage.model.selection.component.empty());
  CHECK(stage.app.request().analysis->component == "FileReader");
  stage.model.selection.component = "of another run";
  stage.settle();
  CHECK_FALSE(stage.app.request().analysis);  // it would be refused, with all other figures
  CHECK(stage.shows("There is no 'of another run' in this run."));
}

TEST_CASE(
    "inside: the note tells part, time, samples, window, the table functions with their times") {
  InsideStage stage;
  for (const char* text :
       {"FileEncrypter: 2.00 s ±10 %", "70 % on CPU", "400 of 1,204 samples", "last 5.00 s",
        "aes_gcm_update", "[kernel]", "0x2b00 in libcrypto.so.3", "900 ms ±10 %", "45.0 %",
        "<30.0 ms", "1.99 s", "libcrypto.so.3", "own code", "libraries", "kernel"})
    CHECK_MESSAGE(stage.shows(text), text);
  CHECK_FALSE(stage.shows("waiting was not sampled"));
  CHECK_FALSE(stage.shows("UploadManager::store"));  // it only called
  const auto above = [&](const char* one, const char* other) {
    return stage.find_in(kTable, one).y < stage.find_in(kTable, other).y;
  };
  CHECK(above("aes_gcm_update", "0x2b00"));
  const ImVec2 total = stage.find_in(kTable, "total");
  stage.click(total.x + 2, total.y + 2);
  CHECK(above("0x2b00", "aes_gcm_update"));
}

TEST_CASE("inside: what is missing is told") {
  auto answer = inside_of_encrypter();
  Inside& inside = inside_of(answer);
  inside.complete = false, inside.without_stack = 7, inside.folded = 9;
  inside.off_cpu_share = 0;
  answer.left_out = 12;
  InsideStage stage(answer);
  for (const char* text :
       {"only the newest samples are kept in full", "7 samples whose stack was forgotten",
        "9 paths too many, cut", "12 more not shown", "waiting was not sampled"})
    CHECK_MESSAGE(stage.shows(text), text);
  CHECK_FALSE(stage.shows("both (M)"));
}

TEST_CASE("inside: hovering a row and a box tells intervals and samples") {
  InsideStage stage;
  stage.hover(kTable, "0x2b00");
  for (const char* text : {"/usr/lib/libcrypto.so.3", "90.0 ms, 95 % between 81.0 ms and 99.0 ms",
                           "from 210 samples, 10 of them its own"})
    CHECK_MESSAGE(stage.shows(text), text);
  stage.hover(kDrawing, "fh::FileEncrypter::encrypt(charconst*");
  for (const char* text : {"/usr/bin/filehost", "this path  1.99 s, 99.5 % of it",
                           "1.39 s on CPU, 600 ms waiting", "from 397 samples", "on all paths"})
    CHECK_MESSAGE(stage.shows(text), text);
}

TEST_CASE("inside: rows may stand for files and for whose code it is") {
  InsideStage stage;
  stage.press_key(GLFW_KEY_E);
  for (const char* text : {"libcrypto.so.3", "filehost", "990 ms", "kernel"})
    CHECK_MESSAGE(stage.shows(text), text);
  stage.press_key(GLFW_KEY_E);
  CHECK(stage.shows("whose code"));
  CHECK(stage.shows("libraries"));
  stage.press_key(GLFW_KEY_E);
  CHECK(stage.shows("aes_gcm_update"));
}

TEST_CASE("inside: a group has what its functions have, its total no function twice") {
  auto answer = inside_of_encrypter();
  const auto rows = inside_rows(inside_of(answer), InsideBy::kWhose);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].name == "libraries");
  CHECK(rows[0].functions == 2);
  CHECK(rows[0].own.net_real_ns->value_ns == doctest::Approx(990e6));
  CHECK(rows[0].own.net_real_ns->high_ns == doctest::Approx(990e6 + std::hypot(90e6, 9e6)));
  CHECK(rows[0].own.samples == 210);
  CHECK(rows[0].total.net_real_ns->value_ns == doctest::Approx(990e6));
  CHECK(rows[2].name == "own code");
  CHECK(rows[2].total.net_real_ns->value_ns == doctest::Approx(2000e6));
}

TEST_CASE("inside: time on a CPU, and waiting, can be looked at alone") {
  InsideStage stage;
  stage.press_key(GLFW_KEY_M);
  CHECK(stage.shows("64.3 %"));  // 900 of 1400 ms
  stage.press_key(GLFW_KEY_M);
  CHECK(stage.find_in(kTable, "[kernel]").y < stage.find_in(kTable, "aes_gcm_update").y);
  CHECK(stage.shows("100 %"));
  stage.press_key(GLFW_KEY_M);
  CHECK(stage.shows("45.0 %"));
}

TEST_CASE("inside: a flame graph grows upwards, an icicle hangs down, from callees or callers") {
  InsideStage stage;
  const auto below = [&](const char* one, const char* other) {
    return stage.find_in(kDrawing, one).y > stage.find_in(kDrawing, other).y;
  };
  CHECK(below("fh::FileEncrypter::encrypt", "aes_gcm_update"));
  stage.press_key(GLFW_KEY_V);
  CHECK(below("aes_gcm_update", "fh::FileEncrypter::encrypt"));
  stage.press_key(GLFW_KEY_O);
  CHECK(below("fh::UploadManager::store", "FileEncrypter"));
  CHECK(stage.shows("callers missing"));
}

TEST_CASE("inside: a click on a box zooms in and marks its row, Esc goes back, then unmarks") {
  InsideStage stage;
  const float narrow = stage.find_in(kDrawing, "aes_gcm_update").x;
  stage.hover(kDrawing, "0x2b00");
  stage.press();
  stage.release();
  stage.leave();
  CHECK(stage.shows("zoom out (Esc)"));
  CHECK(stage.find_in(kDrawing, "aes_gcm_update").x < narrow + 1);
  CHECK(stage.model.selection.component == "FileEncrypter");
  stage.press_key(GLFW_KEY_DOWN);  // from the marked row
  stage.press_key(GLFW_KEY_ENTER);
  stage.press_key(GLFW_KEY_ESCAPE);
  stage.press_key(GLFW_KEY_ESCAPE);
  CHECK_FALSE(stage.shows("zoom out (Esc)"));
  CHECK(stage.find_in(kDrawing, "aes_gcm_update").x == doctest::Approx(narrow));
  stage.press_key(GLFW_KEY_ESCAPE);
  CHECK(stage.model.selection.component == "FileEncrypter");  // the mark goes first
  stage.press_key(GLFW_KEY_ESCAPE);
  CHECK(stage.model.selection.component.empty());
}

TEST_CASE("inside: Enter on a row looks at its widest box, a search keeps what it finds") {
  InsideStage stage;
  stage.press_key(GLFW_KEY_DOWN);
  stage.press_key(GLFW_KEY_ENTER);
  CHECK(stage.shows("zoom out (Esc)"));
  stage.model.search.text = "kern";
  stage.settle();
  CHECK_FALSE(stage.shows("<30.0 ms"));
  stage.model.search.text = "nothing of that kind";
  stage.settle();
  CHECK(stage.shows("Nothing is called that."));
}

TEST_CASE("inside: rows that are pointed at stay while answers follow each other") {
  InsideStage stage;
  feed_inside(stage);  // now it is certain to which question
  stage.hover(kTable, "aes_gcm_update");
  auto next = inside_of_encrypter();
  std::swap(inside_of(next).functions[0].own, inside_of(next).functions[4].own);
  feed_inside(stage, next);
  CHECK(stage.find_in(kTable, "aes_gcm_update").y < stage.find_in(kTable, "0x2b00").y);
  stage.leave();
  feed_inside(stage, next);
  CHECK(stage.find_in(kTable, "aes_gcm_update").y > stage.find_in(kTable, "0x2b00").y);
}

TEST_CASE("inside: without samples it says why, and asks for nothing") {
  Stage none(1280, 800);
  REQUIRE(none.app.show_view("Inside"));
  feed(none);
  CHECK(none.shows("This run has no samples, which tell functions."));
  CHECK(none.shows("--samples HZ"));
  CHECK_FALSE(none.app.request().analysis);

  Stage waiting(1280, 800);
  REQUIRE(waiting.app.show_view("Inside"));
  feed(waiting, sampled_host());
  CHECK(waiting.shows("Waiting for the samples of this window."));

  auto answer = inside_of_encrypter();
  inside_of(answer) = {};
  inside_of(answer).callees = inside_of(answer).callers = {{}};
  CHECK(InsideStage(answer).shows("There is no sample in this window."));
  inside_of(answer).taken = 1204;
  CHECK(InsideStage(answer).shows("None of the 1,204 samples of this window met FileEncrypter."));
}

TEST_CASE(
    "inside: everything fits into a narrow screen, thousands of paths cost a bounded drawing") {
  for (const bool light : {false, true}) {
    InsideStage stage(inside_of_encrypter(), 800, 600);
    stage.model.settings.dark = !light;
    stage.settle();
    check_fits(stage, 800, 600);
    for (const char* text : {"waiting", "own", "total", "own code", "callers (O)"})
      CHECK_MESSAGE(stage.shows(text), text);
  }
  auto answer = inside_of_encrypter();
  for (int i = 0; i < 4000; ++i) inside_of(answer).callees.push_back(inside_of(answer).callees[5]);
  const InsideStage many(answer);
  CHECK(ImGui::GetDrawData()->TotalVtxCount < 60'000);
  CHECK_FALSE(many.app.animates());
}

TEST_CASE("inside: a component that contains others is looked into with them or alone") {
  auto view = sampled_host();
  view.snapshot->components[1].parent = view.snapshot->components[0].name;
  Stage stage(1280, 800);
  REQUIRE(stage.app.show_view("Inside"));
  stage.model.selection.component = view.snapshot->components[0].name;
  feed_inside(stage, inside_of_encrypter(), view);
  CHECK_FALSE(stage.app.request().analysis->alone);
  const ImVec2 alone = stage.find("alone");
  stage.click(alone.x, alone.y);
  CHECK(stage.app.request().analysis->alone);
  stage.model.selection.component = view.snapshot->components[1].name;
  feed_inside(stage, inside_of_encrypter(), view);
  CHECK_FALSE(stage.app.request().analysis->alone);
  const ImVec2 around = stage.find("all of " + view.snapshot->components[0].name);
  stage.click(around.x, around.y);
  CHECK(stage.model.selection.component == view.snapshot->components[0].name);
}

TEST_CASE("inside: G and a double click in Map, Table and Timing lead there") {
  Stage map(1280, 800);
  map.model.settings.options["frame/details"] = 0;
  feed(map, sampled_host());
  map.arrange();
  double_click(map, map.find("FileHandler"));
  CHECK(std::string(map.app.kind().label()) == "Inside");
  CHECK(map.app.request().analysis->component == "FileHandler");
  CHECK(map.model.settings.isolated.empty());

  Stage table(1280, 800);
  REQUIRE(table.app.show_view("Table"));
  feed(table, sampled_host());
  table.click(21, table.find("FileDecrypter").y);  // its operations
  double_click(table, table.find("fh::FileDecrypter::accept"));
  CHECK(std::string(table.app.kind().label()) == "Inside");
  CHECK(table.app.request().analysis->operation == "fh::FileDecrypter::accept");

  // Single executions are known beside samples where probes see calls.
  auto both = file_host();
  both.snapshot->health.samples = sampled_host().snapshot->health.samples;
  both.executions = executions_of(both);
  Stage timing(1280, 800);
  timing.model.settings.options["frame/details"] = 0;
  REQUIRE(timing.app.show_view("Timing"));
  feed(timing, both);
  double_click(timing, timing.find("HTTPServer"));
  CHECK(std::string(timing.app.kind().label()) == "Inside");
  CHECK(timing.app.request().analysis->component == "HTTPServer");

  Stage key(1280, 800);
  feed(key, sampled_host());
  key.model.selection.component = "FileReader";
  key.app.character('G');
  key.settle();
  CHECK(key.app.request().analysis->component == "FileReader");
}
