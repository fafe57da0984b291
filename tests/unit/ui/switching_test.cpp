// SPDX-License-Identifier: Apache-2.0
#include "ui/model/switching.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "stage.h"
#include "text_boxes.h"
#include "ui/model/news.h"

using namespace compmond;
using namespace compmond::ui;

namespace {

using snapshot::Action;
using snapshot::ControlRequest;

constexpr uint64_t kMs = 1'000'000;

struct SwitchStage : Stage {
  explicit SwitchStage(const char* view = "Table", snapshot::View answer = switched_host(),
                       float width = 1280, float height = 800)
      : Stage(width, height) {
    REQUIRE(app.show_view(view));
    model.hello.control = true;
    feed(*this, std::move(answer));
  }
  std::optional<ControlRequest> typed(unsigned character) {
    app.character(character);
    return std::exchange(model.wishes.control, std::nullopt);
  }
  void select(const char* component, const char* operation = "") {
    model.selection = {component, operation, {}};
    settle();
  }
  // Whether something amber stands on the line of what was written there.
  bool amber_beside(const char* text) const {
    const float y = find(text).y;
    return std::ranges::any_of(glyphs(), [&](const Glyph& glyph) {
      return std::abs((glyph.min.y + glyph.max.y) / 2 - y) < 10 && glyph.colour == theme.amber;
    });
  }
};

snapshot::View paused_host() {
  snapshot::View out = switched_host();
  out.snapshot->health.switches.push_back({out.run.start_ns + 18'500 * kMs, false, ""});
  out.snapshot->health.probes_paused = true;
  return out;
}

// Moves over the marks until one tells that.
bool mark_tells(Stage& stage, const char* text) {
  const ImVec2 above = stage.find("time since start");
  for (float x = above.x; x < 1260; x += 2) {
    stage.move(x, above.y + 16);
    if (stage.shows(text)) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("switching: K pauses all probes of a live run, and resumes them") {
  SwitchStage stage;
  CHECK(stage.typed('k') == ControlRequest{0, Action::kPauseProbes, {}});
  feed(stage, paused_host());
  CHECK(stage.typed('K') == ControlRequest{0, Action::kResumeProbes, {}});
}

TEST_CASE("switching: J switches off what is selected, and on again") {
  SwitchStage stage;
  CHECK_FALSE(stage.typed('j'));
  CHECK(stage.shows("Nothing is selected") == false);
  stage.settle();
  CHECK(stage.shows("Nothing is selected"));
  stage.select("FSWriter");
  CHECK(stage.typed('j') == ControlRequest{0, Action::kDisable, {}, "FSWriter"});
  stage.select("FSWriter", "fh::FSWriter::send");
  CHECK(stage.typed('J') == ControlRequest{0, Action::kDisable, {}, "fh::FSWriter::send"});
  stage.select("FileReader");
  CHECK(stage.typed('j') == ControlRequest{0, Action::kEnable, {}, "FileReader"});
  stage.select("DirReader");  // of which one of two is off
  CHECK(stage.typed('j') == ControlRequest{0, Action::kDisable, {}, "DirReader"});
  stage.select("DirReader", "fh::DirReader::send");
  CHECK(stage.typed('j') == ControlRequest{0, Action::kEnable, {}, "fh::DirReader::send"});
}

TEST_CASE("switching: nothing is asked for where this client may not, and it is said why") {
  const auto silent = [](snapshot::View answer, bool control, const char* why) {
    SwitchStage stage("Table", std::move(answer));
    stage.model.hello.control = control;
    stage.select("FSWriter");
    CHECK_FALSE(stage.shows("switch off"));
    for (const unsigned key : {'k', 'j'}) {
      stage.model.toast.reset();
      CHECK_FALSE(stage.typed(key));
      REQUIRE(stage.model.toast);
      CHECK_MESSAGE(stage.model.toast->text.find(why) != std::string::npos,
                    stage.model.toast->text);
    }
  };
  silent(file_host(), false, "may look only");
  snapshot::View ended = file_host();
  ended.run.live = false;
  silent(ended, true, "The run has ended");
  snapshot::View replay = file_host();
  replay.run.replay = true;
  silent(replay, false, "A replay has no probes");
  SwitchStage lost;
  lost.model.link.state = Link::State::kLost;
  CHECK_FALSE(lost.typed('k'));
}

TEST_CASE("switching: in a replay K still plays and pauses the log") {
  snapshot::View replay = file_host();
  replay.run.replay = true;
  SwitchStage stage("Table", replay);
  CHECK(stage.typed('k') == ControlRequest{0, Action::kPause, {}});
}

TEST_CASE("switching: the details' links switch the component, or the marked operation") {
  SwitchStage stage;
  const auto clicked = [&](const char* label) {
    const ImVec2 at = stage.find(label);
    stage.click(at.x, at.y);
    return std::exchange(stage.model.wishes.control, std::nullopt);
  };
  stage.select("FileReader");
  CHECK(stage.shows("It is switched off since 12.3 s: nothing is seen of it."));
  CHECK_FALSE(stage.shows("0 ns"));
  CHECK(clicked("switch on") == ControlRequest{0, Action::kEnable, {}, "FileReader"});
  stage.select("DirReader");
  CHECK(stage.shows("1 of 2 operations switched off: nothing is seen of these."));
  CHECK(clicked("switch on") == ControlRequest{0, Action::kEnable, {}, "DirReader"});
  stage.select("DirReader", "fh::DirReader::accept");
  CHECK(clicked("switch operation off") ==
        ControlRequest{0, Action::kDisable, {}, "fh::DirReader::accept"});
  stage.select("FSWriter");
  CHECK_FALSE(stage.shows("switch on"));
}

TEST_CASE("switching: what was done is told, and of a replay only what was not") {
  Model model;
  tell(model, {1, "4 operations of Locks are switched off", ""});
  REQUIRE(model.toast);
  CHECK(model.toast->text == "4 operations of Locks are switched off");
  CHECK_FALSE(model.toast->bad);
  model.toast.reset();
  model.run.replay = true;
  tell(model, {1, "paused", ""});
  CHECK_FALSE(model.toast);
  tell(model, {1, "", "nothing is called Lo\x1b[1mcks"});
  REQUIRE(model.toast);
  CHECK(model.toast->bad);
  CHECK(model.toast->text.find('\x1b') == std::string::npos);
}

TEST_CASE("switching: that something was switched is news, although nothing arrives") {
  Model model;
  model.link.state = Link::State::kConnected;
  snapshot::View before = file_host(), after = paused_host();
  for (snapshot::View* view : {&before, &after}) view->run.events_per_s = 0;
  after.snapshot->components = before.snapshot->components;
  after.snapshot->edges = before.snapshot->edges;
  take(model, snapshot::View(before));
  CHECK_FALSE(tells_news(model, before));
  CHECK(tells_news(model, after));
}

TEST_CASE("switching: a mark on the time scale tells what was switched, and when") {
  SwitchStage stage;
  CHECK(mark_tells(stage, "3.0 s: all probes paused"));
  CHECK(mark_tells(stage, "5.0 s: all probes resumed"));
  CHECK_FALSE(stage.shows("2 switches"));
  CHECK(mark_tells(stage, "12.3 s: FileReader switched off"));
  CHECK(stage.shows("2 switches"));  // 10 ms apart
  CHECK(stage.shows("12.3 s: fh::DirReader::send switched off"));
}

TEST_CASE("switching: a hundred marks at once are one with their number, which names some") {
  snapshot::View answer = file_host();
  for (uint64_t i = 0; i < 100; ++i)
    answer.snapshot->health.switches.push_back(
        {answer.run.start_ns + (10'000 + i) * kMs, i % 2 == 1, "FSWriter"});
  SwitchStage stage("Table", std::move(answer));
  CHECK(mark_tells(stage, "100 switches"));
  CHECK(stage.shows("and 92 more"));
}

TEST_CASE("switching: without a switch the time scale has no place for marks") {
  SwitchStage stage("Table", file_host());
  CHECK_FALSE(stage.shows("switched"));
}

TEST_CASE("switching: the table dims what is off, and shows no zeros for it") {
  SwitchStage stage;
  CHECK(stage.shows("FileReader switched off"));
  CHECK(stage.shows("DirReader 1 of 2 off"));
  CHECK_FALSE(stage.amber_beside("FileReader switched off"));
  CHECK_FALSE(stage.amber_beside("DirReader 1 of 2 off"));
  const float y = stage.find("FileReader switched off").y;
  std::string row;
  for (const Glyph& glyph : stage.glyphs())
    if (std::abs((glyph.min.y + glyph.max.y) / 2 - y) < 10) row += utf8(glyph.code);
  CHECK(row.find('0') == std::string::npos);
  CHECK(row.find("–––") != std::string::npos);
}

TEST_CASE("switching: when a component was off is told by the switches that name it, and now") {
  Model model;
  take(model, paused_host());
  const uint64_t start = model.run.start_ns;
  const auto spans = [&](const snapshot::Component* component) {
    std::vector<std::pair<uint64_t, uint64_t>> out;
    for (const Window& span : off_spans(model, component))
      out.emplace_back((span.start_ns - start) / kMs, (span.end_ns - start) / kMs);
    return out;
  };
  using Spans = std::vector<std::pair<uint64_t, uint64_t>>;
  CHECK(spans(model.component("FileReader")) == Spans{{3'000, 5'000}, {12'300, 22'000}});
  CHECK(spans(model.component("FSWriter")) == Spans{{3'000, 5'000}});  // it is on
  CHECK(spans(nullptr) == Spans{{3'000, 5'000}, {18'500, 22'000}});
}

TEST_CASE("switching: times from samples are not said to be in those of callers") {
  snapshot::View answer = switched_host();
  for (snapshot::Component& component : answer.snapshot->components) {
    component.figures.uncertain = true;
    component.figures.estimated.emplace().net_real_ns = snapshot::Estimate{1000, 900, 1100};
  }
  for (const char* view : {"Map", "Health"}) {
    SwitchStage stage(view, answer);
    if (std::string(view) == "Map") stage.arrange();
    CHECK(stage.shows("Something was switched off: times are from samples, calls are those that"));
    CHECK_FALSE(stage.shows("its time is in that of its callers"));
  }
}

TEST_CASE("switching: what nobody saw by somebody's wish is told, but not as a fault") {
  snapshot::View answer = switched_host();
  for (snapshot::Component& component : answer.snapshot->components)
    component.figures.uncertain = true;
  for (const char* view : {"Map", "Table", "Health"}) {
    SwitchStage stage(view, answer);
    if (std::string(view) == "Map") stage.arrange();
    INFO(std::string(view));
    if (std::string(view) != "Table")
      CHECK(stage.shows("Something was switched off: its time is in that of its callers."));
    const auto glyphs = stage.glyphs();
    CHECK(std::ranges::none_of(
        glyphs, [&](const Glyph& glyph) { return glyph.colour == stage.theme.amber; }));
  }
  answer.snapshot->health.lost = 12;  // which nobody wished for
  SwitchStage stage("Map", answer);
  stage.arrange();
  CHECK(stage.shows("hatched: 9 components"));  // FileReader has no figures to doubt
}

TEST_CASE("switching: a box of the map says it, unhatched") {
  SwitchStage stage("Map", switched_host(), 2560, 1440);
  stage.arrange();
  CHECK(stage.shows("FileReader switched off since 12.3 s"));
  CHECK_FALSE(stage.shows("hatched"));
  CHECK_FALSE(stage.amber_beside("since 12.3 s"));
}

TEST_CASE("switching: the status bar tells why figures stand still, and what goes on again") {
  for (const float width : {1280.f, 800.f, 640.f}) {
    SwitchStage stage("Table", paused_host(), width, 600);
    CHECK(stage.shows("probes paused"));
    CHECK(stage.shows("K resumes"));
    nothing_is_cut(stage, width, 600);
  }
  SwitchStage stage("Table", paused_host());
  CHECK(stage.shows("probes paused since 18.5 s: K resumes"));
  stage.model.hello.control = false;
  stage.settle();
  CHECK_FALSE(stage.shows("K resumes"));
  feed(stage, switched_host());
  CHECK_FALSE(stage.shows("probes paused since"));
  CHECK(stage.shows("3 switched off"));
}

TEST_CASE("switching: a window without calls says that probes are paused") {
  snapshot::View answer = paused_host();
  for (snapshot::Component& component : answer.snapshot->components) component.figures = {};
  for (const char* view : {"Map", "Table", "Timing"}) {
    answer.executions = snapshot::ExecutionsView{};
    SwitchStage stage(view, answer);
    if (std::string(view) == "Map") stage.arrange();
    CHECK_MESSAGE(stage.shows("All probes paused since 18.5 s: no call is seen."), view);
  }
}

TEST_CASE("switching: Health counts and names what is off, lists the switches, and has the way") {
  SwitchStage stage("Health");
  for (const char* text : {"Switched on and off", "3 of 20", "fh::FileReader::accept",
                           "fh::DirReader::send", "12.3 s FileReader switched off",
                           "3.0 s all probes paused", "3 operations are switched off"})
    CHECK_MESSAGE(stage.shows(text), text);
  CHECK_FALSE(stage.shows("All figures can be trusted"));
  CHECK(stage.find("all probes resumed").y < stage.find("3.0 s").y);  // the newest first
  const ImVec2 link = stage.find("pause all probes");
  stage.click(link.x, link.y);
  CHECK(stage.model.wishes.control == ControlRequest{0, Action::kPauseProbes, {}});
  stage.model.hello.control = false;
  stage.settle();
  CHECK_FALSE(stage.shows("pause all probes"));
}

TEST_CASE("switching: names of others reach the screen harmless") {
  snapshot::View answer = switched_host();
  answer.snapshot->health.switches.back().what = "evil\x1b[31m%s%n\xff\u202e";
  answer.snapshot->health.disabled.back() = "bad\u202e%n";
  SwitchStage stage("Health", std::move(answer));
  CHECK(stage.shows("evil%s%n"));
  CHECK(stage.shows("bad%n"));
}
