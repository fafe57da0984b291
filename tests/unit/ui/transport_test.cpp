// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include "stage.h"
#include "ui/link/pace.h"

using namespace compmond;
using namespace compmond::ui;

namespace {

constexpr uint64_t kSecond = 1'000'000'000;
constexpr float kBarY = 784, kPlayX = 26;

// A replay of twice the file host's time, that this client may control.
snapshot::View replayed(bool paused = false) {
  snapshot::View view = file_host();
  view.run.replay = true;
  view.run.paused = paused;
  view.run.speed = 10;
  view.run.end_ns = view.run.now_ns + (view.run.now_ns - view.run.start_ns);
  return view;
}

void feed_replay(Stage& stage, snapshot::View view) {
  stage.model.hello.control = true;
  feed(stage, std::move(view));
}

// What a click wishes.
snapshot::ControlRequest clicked(Stage& stage, ImVec2 at) {
  stage.model.wishes.control.reset();
  stage.click(at.x, at.y);
  stage.settle();
  REQUIRE(stage.model.wishes.control);
  return *std::exchange(stage.model.wishes.control, std::nullopt);
}

}  // namespace

TEST_CASE("transport: a live run and a client that may only look have none") {
  Stage stage(1280, 800);
  stage.model.hello.control = true;
  feed(stage);
  CHECK_FALSE(stage.shows("step"));
  Stage looking(1280, 800);
  feed(looking, replayed());
  CHECK_FALSE(looking.shows("step"));
}

TEST_CASE("transport: going back, playing and speeding up leave a window of the past as it is") {
  Stage stage(1280, 800);
  snapshot::View ended = replayed();
  ended.run.live = false;
  ended.run.now_ns = ended.run.end_ns;
  feed_replay(stage, ended);
  stage.app.key(GLFW_KEY_LEFT, false, true);
  stage.settle();
  const ChosenWindow past = stage.model.window;
  REQUIRE_FALSE(past.live);
  REQUIRE(past.end_ns - past.start_ns == 5 * kSecond);
  stage.app.key(GLFW_KEY_HOME, false, false);
  snapshot::View at_start = replayed(true);
  at_start.run.now_ns = at_start.run.start_ns;
  feed_replay(stage, at_start);
  stage.app.character('k');
  stage.app.character('>');
  at_start.run.paused = false;
  at_start.run.now_ns += kSecond / 10;
  feed_replay(stage, at_start);
  stage.settle();
  CHECK(stage.model.window.start_ns == past.start_ns);
  CHECK(stage.model.window.end_ns == past.end_ns);
}

TEST_CASE("transport: its buttons pause, play, step, seek and set the speed") {
  Stage stage(1280, 800);
  feed_replay(stage, replayed());
  CHECK(clicked(stage, {kPlayX, kBarY}) ==
        snapshot::ControlRequest{0, snapshot::Action::kPause, {}});
  CHECK(clicked(stage, stage.find("step")) ==
        snapshot::ControlRequest{0, snapshot::Action::kStep, {}});
  const auto seek = clicked(stage, {215, kBarY});
  CHECK(seek.action == snapshot::Action::kSeek);
  REQUIRE(seek.value);
  const double whole = double(stage.model.run.end_ns - stage.model.run.start_ns) / 1e9;
  CHECK(*seek.value > 0.4 * whole);
  CHECK(*seek.value < 0.6 * whole);
  const ImVec2 speed = stage.find("10×");
  stage.click(speed.x, speed.y);
  stage.settle();
  CHECK(clicked(stage, stage.find("max")) ==
        snapshot::ControlRequest{0, snapshot::Action::kPlay, 0});

  feed_replay(stage, replayed(true));
  stage.settle();
  CHECK(stage.shows("replay paused"));
  CHECK(clicked(stage, {kPlayX, kBarY}) ==
        snapshot::ControlRequest{0, snapshot::Action::kPlay, {}});
}

TEST_CASE("transport: its keys play, pause, step, seek and go through the speeds") {
  Stage stage(1280, 800);
  feed_replay(stage, replayed());
  const auto wished = [&] {
    REQUIRE(stage.model.wishes.control);
    return *std::exchange(stage.model.wishes.control, std::nullopt);
  };
  const auto typed = [&](unsigned c) {
    stage.app.character(c);
    return wished();
  };
  const auto pressed = [&](int key) {
    stage.app.key(key, false, false);
    return wished();
  };
  CHECK(typed('k') == snapshot::ControlRequest{0, snapshot::Action::kPause, {}});
  CHECK(typed('.') == snapshot::ControlRequest{0, snapshot::Action::kStep, {}});
  CHECK(typed('>') == snapshot::ControlRequest{0, snapshot::Action::kPlay, 100});
  CHECK(typed('<') == snapshot::ControlRequest{0, snapshot::Action::kPlay, 1});
  stage.model.run.speed = 100;
  CHECK(typed('>') == snapshot::ControlRequest{0, snapshot::Action::kPlay, 0});
  stage.model.run.speed = 0;
  CHECK(typed('>') == snapshot::ControlRequest{0, snapshot::Action::kPlay, 0});
  CHECK(typed('<') == snapshot::ControlRequest{0, snapshot::Action::kPlay, 100});
  stage.model.run.speed = 1e-6;
  CHECK(typed('<') == snapshot::ControlRequest{0, snapshot::Action::kPlay, 0.01});
  stage.model.run.paused = true;
  CHECK(typed('K') == snapshot::ControlRequest{0, snapshot::Action::kPlay, {}});
  const double whole = double(stage.model.run.end_ns - stage.model.run.start_ns) / 1e9;
  CHECK(*pressed(GLFW_KEY_PAGE_DOWN).value == doctest::Approx(0.6 * whole));
  CHECK(*pressed(GLFW_KEY_PAGE_UP).value == doctest::Approx(0.4 * whole));
  CHECK(pressed(GLFW_KEY_HOME) == snapshot::ControlRequest{0, snapshot::Action::kSeek, 0});
  stage.app.character('?');
  stage.settle();
  CHECK(stage.shows("play or pause, step, slower, faster"));
}

TEST_CASE("transport: where it is not drawn its keys do nothing") {
  Stage stage(1280, 800);
  stage.model.hello.control = true;
  feed(stage);
  for (const unsigned c : {'.', '<', '>'}) stage.app.character(c);
  stage.app.key(GLFW_KEY_HOME, false, false);
  CHECK_FALSE(stage.model.wishes.control);
}

TEST_CASE("transport: nothing lies on top of it on a narrow screen") {
  Stage stage(700, 800);
  feed_replay(stage, replayed());
  stage.settle();
  CHECK(stage.find("step").x < stage.find("10×").x);
  CHECK(stage.find("10×").x + 20 < stage.find("replay").x);
}

TEST_CASE(
    "model: the time of a replay runs at its speed, up to the log's end, not while it stands") {
  Model model;
  model.link.state = Link::State::kConnected;
  model.run = {0, 10 * kSecond, true, true, 0, 0, false, 10, 11 * kSecond};
  model.clock_s = 0.05;
  CHECK(model.now_ns() == 10 * kSecond + kSecond / 2);
  model.clock_s = 0.15;
  CHECK(model.now_ns() == 11 * kSecond);
  model.run.speed = 0;
  CHECK(model.now_ns() == 10 * kSecond);
  model.run.speed = 10;
  model.run.paused = true;
  CHECK(model.now_ns() == 10 * kSecond);
}

TEST_CASE("pace: a replay that stands still is asked about once a second") {
  Model model;
  model.run.live = model.window.live = true;
  Pace pace;
  pace.asked({}, 0);
  CHECK(pace.due(model, {}, 0.1));
  model.run.paused = true;
  CHECK_FALSE(pace.due(model, {}, 0.5));
  CHECK(pace.due(model, {}, 1.1));
}

namespace {

// Where a run stands, and what is looked at of it.
struct Standing {
  const char* name;
  bool replay, live, paused;
  uint64_t now_ns;  // since the start; the log has 44 s
  bool follows;
};

snapshot::View standing(const Standing& of) {
  snapshot::View view = replayed(of.paused);
  view.run.replay = of.replay;
  view.run.live = of.live;
  if (!of.replay) view.run.end_ns = 0;
  view.run.now_ns = view.run.start_ns + of.now_ns;
  return view;
}

}  // namespace

TEST_CASE("keys: none leaves a window shorter than was meant, or outside of the run") {
  constexpr uint64_t kMeant = 5 * kSecond, kLeast = kMeant / 2;  // two or three steps shorter
  for (const Standing& of :
       {Standing{"replay plays", true, true, false, 20 * kSecond, true},
        Standing{"replay plays, past", true, true, false, 20 * kSecond, false},
        Standing{"replay paused", true, true, true, 20 * kSecond, true},
        Standing{"replay begins", true, true, false, 0, true},
        Standing{"replay begins, ahead", true, true, true, 0, false},
        Standing{"replay ended", true, false, false, 44 * kSecond, true},
        Standing{"replay ended, past", true, false, false, 44 * kSecond, false},
        Standing{"young run", false, true, false, kSecond / 10, true},
        Standing{"run", false, true, false, 20 * kSecond, true},
        Standing{"run, past", false, true, false, 20 * kSecond, false},
        Standing{"run ended", false, false, false, 20 * kSecond, true}}) {
    Stage stage(1280, 800);
    Model& model = stage.model;
    feed_replay(stage, standing(of));
    const auto holds = [&] {
      const uint64_t start = model.run.start_ns,
                     last = std::max(model.now_ns(), model.run.replay ? model.run.end_ns : 0);
      const Window shown = model.interval();
      CHECK(shown.start_ns >= start);
      CHECK(shown.end_ns >= shown.start_ns);
      CHECK(shown.end_ns <= last);
      CHECK(model.window.length_ns >= kLeast);
      if (!model.window.live)
        CHECK(shown.length() >= std::min(kLeast, (of.replay ? last - start : of.now_ns) / 2));
    };
    const auto pressed = [&](int key, unsigned character) {
      INFO(std::string(of.name) << ", key " << key << ", character " << character);
      for (int i = 0; i < 6; ++i) stage.app.key(GLFW_KEY_ESCAPE, false, false);
      model.window = {};
      if (!of.follows)
        set_window(model, model.run.start_ns + 5 * kSecond, model.run.start_ns + 10 * kSecond);
      if (key) stage.app.key(key, false, false);
      if (key) stage.app.key(key, false, true);
      if (character) stage.app.character(character);
      // The daemon does what was wished.
      snapshot::View next = standing(of);
      if (const auto wished = std::exchange(model.wishes.control, std::nullopt)) {
        if (wished->action == snapshot::Action::kSeek)
          next.run.now_ns = next.run.start_ns + uint64_t(*wished->value * 1e9);
        next.run.live = true;
        next.run.paused = wished->action == snapshot::Action::kPause;
      }
      model.wishes = {};
      feed(stage, std::move(next));
      holds();
      for (const unsigned each : {' ', ' ', '-', 'l'}) {  // there and back
        stage.app.character(each);
        holds();
      }
      feed(stage, standing(of));
      holds();
    };
    for (int key = GLFW_KEY_ESCAPE; key <= GLFW_KEY_LAST; ++key) pressed(key, 0);
    for (unsigned character = ' '; character < 0x7f; ++character) pressed(0, character);
  }
}

TEST_CASE("pace: a long window is asked for as often as there is something to be seen") {
  Model model;
  take(model, file_host());
  model.run.now_ns += 100'000'000'000;
  model.window.length_ns = 60'000'000'000;
  Pace pace;
  pace.asked({}, 0);
  pace.answered(0.001);
  CHECK_FALSE(pace.due(model, {}, 0.08));
  CHECK(pace.due(model, {}, 0.11));
}
