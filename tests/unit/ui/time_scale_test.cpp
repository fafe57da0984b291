// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "stage.h"
#include "ui/frame/time_scale/strip_rows.h"

using namespace compmond;
using namespace compmond::ui;

namespace {

constexpr uint64_t kSecond = 1'000'000'000;

// Pixels of moments: two ticks of the axis tell.
struct Scale {
  float x0, per_s, y;
  explicit Scale(const Stage& stage) {
    const ImVec2 a = stage.find("4s"), b = stage.find("14s");
    per_s = (b.x - a.x) / 10;
    x0 = a.x - 4 * per_s;
    y = a.y - 60;
  }
  float x(double seconds) const { return x0 + per_s * float(seconds); }
};

double since(const Stage& stage, uint64_t ns) {
  return double(ns - stage.model.run.start_ns) / 1e9;
}

struct TableStage : Stage {
  TableStage() : Stage(1280, 800) {
    REQUIRE(app.show_view("Table"));
    feed(*this);
    model.run.live = true;
  }
};

}  // namespace

TEST_CASE("time scale: touching it pauses, dragging the region moves the window into the past") {
  TableStage stage;
  const Scale scale(stage);
  stage.move(scale.x(20), scale.y);
  stage.press();
  CHECK_FALSE(stage.model.window.live);
  stage.move(scale.x(15), scale.y);
  stage.move(scale.x(10), scale.y);
  stage.release();
  CHECK(since(stage, stage.model.window.start_ns) == doctest::Approx(7).epsilon(0.05));
  CHECK(stage.model.window.end_ns - stage.model.window.start_ns == 5 * kSecond);
  stage.settle();
  CHECK(stage.shows("paused"));
}

TEST_CASE("time scale: its edges resize the window and leave the other edge alone") {
  TableStage stage;
  set_window(stage.model, stage.model.run.start_ns + 8 * kSecond,
             stage.model.run.start_ns + 12 * kSecond);
  stage.settle();
  const Scale scale(stage);
  stage.move(scale.x(8) + 1, scale.y);
  stage.press();
  stage.move(scale.x(5) + 1, scale.y);
  stage.release();
  CHECK(since(stage, stage.model.window.start_ns) == doctest::Approx(5).epsilon(0.05));
  CHECK(since(stage, stage.model.window.end_ns) == doctest::Approx(12));
  stage.move(scale.x(12) - 1, scale.y);
  stage.press();
  stage.move(scale.x(15) - 1, scale.y);
  stage.release();
  CHECK(since(stage, stage.model.window.end_ns) == doctest::Approx(15).epsilon(0.05));
}

TEST_CASE("time scale: while the run is busy the window grows to a minute, unless one was chosen") {
  TableStage stage;
  Model& model = stage.model;
  const auto busy_for = [&](uint64_t seconds) {
    model.run.now_ns = model.run.start_ns + 100 * kSecond;
    model.snapshot->health.busy = snapshot::Health::Busy{
        true, 31, {{model.run.now_ns - seconds * kSecond, model.run.now_ns}}};
    return model.live_length_ns() / kSecond;
  };
  CHECK(busy_for(2) == 5);
  CHECK(busy_for(20) == 20);
  CHECK(busy_for(90) == 60);
  CHECK(stage.app.request().window.last_s == 60);
  model.snapshot->health.busy->now = false;
  CHECK(model.live_length_ns() == 5 * kSecond);
  CHECK(busy_for(90) == 60);
  const Window before = model.interval();
  pause(model);
  CHECK(model.interval().start_ns == before.start_ns);
  go_live(model);
  scale_window(model, 0.5);  // by hand, of what is there
  CHECK(busy_for(90) == 30);
  CHECK(model.window.length_ns == 30 * kSecond);
}

TEST_CASE("time scale: a window that is longer by itself leaves the range as it is, up to half") {
  TableStage stage;
  Model& model = stage.model;
  const auto asked_s = [&](uint64_t age, uint64_t busy) {
    model.run.now_ns = model.run.start_ns + age * kSecond;
    model.snapshot->health.busy =
        snapshot::Health::Busy{true, 31, {{model.run.now_ns - busy * kSecond, model.run.now_ns}}};
    const auto strip = stage.app.request().strip;
    return std::lround(double(strip->end_ns - strip->start_ns) / 1e9);
  };
  const auto about = [](long wanted) { return doctest::Approx(double(wanted)).epsilon(0.02); };
  CHECK(asked_s(12, 12) == about(15));
  CHECK(asked_s(28, 28) == about(30));
  CHECK(asked_s(55, 55) == about(60));
  CHECK(asked_s(300, 20) == about(60));
  CHECK(asked_s(300, 200) == about(120));
}

TEST_CASE("time scale: a span in which the run was busy is a line below the rows, which tells") {
  TableStage stage;
  const uint64_t start = stage.model.run.start_ns;
  stage.model.snapshot->health.busy =
      snapshot::Health::Busy{false, 31, {{start + 5 * kSecond, start + 15 * kSecond}}};
  stage.settle();
  const Scale scale(stage);
  const auto tells = [&](double second) {
    for (float y = scale.y + 40; y < scale.y + 58; ++y) {
      stage.move(scale.x(second), y);
      if (stage.shows("busy for 10")) return true;
    }
    return false;
  };
  CHECK(tells(10));
  CHECK_FALSE(stage.shows("in sight"));
  CHECK_FALSE(tells(18));
  stage.model.strip->slices = {{start + 6 * kSecond, start + 6 * kSecond + kSecond / 16, 4, 1.4},
                               {start + 9 * kSecond, start + 9 * kSecond + kSecond / 16, 5, 1.8},
                               {start + 17 * kSecond, start + 17 * kSecond + kSecond / 16, 5, 1.8}};
  CHECK(tells(10));
  CHECK(stage.shows("2 slices in sight"));
  CHECK(stage.shows("×1.6"));
}

TEST_CASE("time scale: a double click shows the whole run, and does nothing to the window") {
  TableStage stage;
  const Scale scale(stage);
  stage.model.run.now_ns += 300 * kSecond;
  stage.settle();
  stage.move(400, scale.y);
  for (int i = 0; i < 2; ++i) stage.press(), stage.release();
  stage.settle();
  CHECK(stage.model.window.live);
  CHECK(stage.model.window.length_ns == 5 * kSecond);
  const auto request = stage.app.request();
  REQUIRE(request.strip);
  CHECK(request.strip->start_ns == stage.model.run.start_ns);
  CHECK(request.strip->end_ns >= stage.model.run.now_ns);
}

TEST_CASE("time scale: what it shows is never more than the whole run") {
  TableStage stage;
  stage.model.run.now_ns = stage.model.run.start_ns + 447 * kSecond / 10;
  stage.settle();
  CHECK_FALSE(stage.shows("45.0 s of"));
  CHECK(stage.shows("s of 44."));  // its beginning is out of sight already
}

TEST_CASE("time scale: of a short log it shows no more than that") {
  Stage stage(1280, 800);
  REQUIRE(stage.app.show_view("Table"));
  snapshot::View view = file_host();
  view.run.replay = true;
  view.run.now_ns = view.run.end_ns = view.run.start_ns + 35'000'000;
  feed(stage, std::move(view));
  for (int whole = 0; whole < 2; ++whole) {
    const auto request = stage.app.request();
    REQUIRE(request.strip);
    CHECK(request.strip->start_ns == stage.model.run.start_ns);
    CHECK(request.strip->end_ns > stage.model.run.end_ns);
    CHECK(request.strip->end_ns < stage.model.run.end_ns + 5'000'000);
    stage.move(400, 740);
    for (int i = 0; i < 2; ++i) stage.press(), stage.release();
    stage.settle();
  }
}

TEST_CASE("time scale: a click beside the window puts its middle there") {
  TableStage stage;
  const Scale scale(stage);
  stage.click(scale.x(6), scale.y);
  CHECK(since(stage, stage.model.window.start_ns) == doctest::Approx(3.5).epsilon(0.05));
  CHECK(since(stage, stage.model.window.end_ns) == doctest::Approx(8.5).epsilon(0.05));
}

TEST_CASE("time scale: dropped at now the window is live again, the buttons pause and go live") {
  TableStage stage;
  set_window(stage.model, stage.model.run.start_ns + 5 * kSecond,
             stage.model.run.start_ns + 10 * kSecond);
  stage.settle();
  const Scale scale(stage);
  stage.move(scale.x(7), scale.y);
  stage.press();
  stage.move(scale.x(20), scale.y);
  stage.move(scale.x(29), scale.y);
  stage.release();
  CHECK(stage.model.window.live);
  const ImVec2 pause_button = stage.find("pause");
  stage.click(pause_button.x, pause_button.y);
  CHECK_FALSE(stage.model.window.live);
}

TEST_CASE("time scale: the strip is asked for on a grid that stays while the range moves on") {
  TableStage stage;
  stage.model.run.now_ns += 100 * kSecond;
  const auto first = stage.app.request();
  REQUIRE(first.strip);
  const uint64_t column = (first.strip->end_ns - first.strip->start_ns) / first.strip->columns;
  stage.model.run.now_ns += kSecond / 3;
  const auto second = stage.app.request();
  CHECK((second.strip->end_ns - second.strip->start_ns) / second.strip->columns == column);
  CHECK((second.strip->start_ns - stage.model.run.start_ns) % column == 0);
  CHECK(second.strip->start_ns > first.strip->start_ns);
  CHECK(second.strip->columns <= 4096);
}

TEST_CASE("time scale: a component's name selects it") {
  TableStage stage;
  // Of the two on the screen the lower one is the strip's.
  ImVec2 label{};
  for (const Glyph& glyph : stage.glyphs())
    if (glyph.code == 'D' && glyph.min.x < 20 && glyph.min.y > 580)
      label = {glyph.min.x + 8, glyph.min.y + 4};
  REQUIRE(label.x > 0);
  stage.click(label.x, label.y);
  CHECK(stage.model.selection.component == "DirReader");
}

TEST_CASE(
    "strip rows: components that share a row show the largest of them, hidden ones are left out") {
  snapshot::StripView strip;
  strip.columns = 2;
  for (int i = 0; i < 10; ++i) {
    strip.components.push_back("c" + std::to_string(i));
    strip.real_ns.push_back({uint64_t(i), uint64_t(10 - i)});
  }
  Model model;
  model.settings.hidden = {"c9"};
  const StripRows rows = strip_rows(strip, model, 3);
  REQUIRE(rows.rows.size() == 3);
  CHECK(rows.rows[0].members == std::vector<size_t>{0, 1, 2});
  CHECK(rows.rows[2].members == std::vector<size_t>{6, 7, 8});
  CHECK(rows.rows[0].real_ns == std::vector<uint64_t>{2, 10});
  CHECK(rows.rows[2].real_ns == std::vector<uint64_t>{8, 4});
}

TEST_CASE("strip rows: one outlier does not darken all the rest") {
  snapshot::StripView strip;
  strip.columns = 1000;
  strip.components = {"a"};
  strip.real_ns.push_back(std::vector<uint64_t>(1000, 5));
  strip.real_ns[0][17] = 1'000'000;
  CHECK(strip_rows(strip, Model(), 8).busy_ns == 5);
}

TEST_CASE("strip rows: what is below the floor of a column does not glow, nor make it full") {
  snapshot::StripView strip;
  strip.end_ns = 1'000'000'000;
  strip.columns = 100;
  strip.components = {"a"};
  strip.real_ns.push_back(std::vector<uint64_t>(100, 0));
  strip.real_ns[0][3] = 6'500;  // one call in an idle second
  Model model;
  CHECK(strip_rows(strip, model, 8).floor_ns == 100'000);
  CHECK(strip_rows(strip, model, 8).busy_ns == 1);
  strip.real_ns[0][5] = 5'000'000;
  CHECK(strip_rows(strip, model, 8).busy_ns == 5'000'000);
  model.settings.heat.floor_pct = 0;
  CHECK(strip_rows(strip, model, 8).floor_ns == 0);
}

TEST_CASE("strip rows: a component that only contains others has none, they have theirs") {
  Model model;
  snapshot::View view = file_host(3);
  view.snapshot->components[0].operations.clear();
  view.snapshot->components[1].name = "HTTPServer/AccessControl";
  view.snapshot->components[1].parent = "HTTPServer";
  take(model, std::move(view));
  snapshot::StripView strip;
  strip.columns = 1;
  for (const auto& component : model.snapshot->components) {
    strip.components.push_back(component.name);
    strip.real_ns.push_back({1});
  }
  const StripRows rows = strip_rows(strip, model, 100);
  REQUIRE(rows.rows.size() == 2);
  CHECK(rows.rows[0].members == std::vector<size_t>{1});
}
