// SPDX-License-Identifier: Apache-2.0
#include "ui/frame/frame.h"

#include <doctest/doctest.h>

#include <array>

#include "stage.h"
#include "text/numbers.h"
#include "text_boxes.h"

using namespace compmond;
using namespace compmond::ui;

namespace {

constexpr std::array<std::pair<float, float>, 4> kSizes = {
    {{800, 600}, {1280, 800}, {2560, 1440}, {3840, 2160}}};

// The worst of everything that a view may have to say.
snapshot::View crowded(size_t components, bool long_names) {
  snapshot::View view = file_host(components, long_names);
  auto& snapshot = *view.snapshot;
  snapshot.health.lost = 12;
  snapshot.health.refused.assign(5, {"fh::PluginManager::log_line", "it is inlined everywhere"});
  snapshot.health.throttled = {"fh::FileReader::next"};
  snapshot.health.notes = {"the executable was replaced on disk"};
  snapshot.components[1].figures.uncertain = true;
  snapshot.components[2].status = snapshot::Status::kPartial;
  view.executions = executions_of(view);
  view.executions->left_out = 12'345;
  view.executions->partial = true;
  return view;
}

void looks_right(const char* view, float width, float height, size_t components, bool long_names,
                 bool selected) {
  INFO(width << "x" << height << ", " << components << " components, " << view << ", long names "
             << long_names << ", selected " << selected);
  Stage stage(width, height);
  REQUIRE(stage.app.show_view(view));
  snapshot::View answer = crowded(components, long_names);
  if (selected) stage.model.selection.component = answer.snapshot->components[1].name;
  give(stage, std::move(answer));
  if (std::string(view) == "Map") stage.arrange();
  stage.settle();
  REQUIRE(stage.glyphs().size() > 200);
  nothing_is_cut(stage, width, height);
  nothing_overlaps(stage);
}

}  // namespace

TEST_CASE(
    "frame: nothing is cut and nothing overlaps, whatever the size, the number and length of "
    "names") {
  for (const auto& [width, height] : kSizes)
    for (const bool long_names : {false, true})
      for (const bool selected : {false, true}) {
        for (const char* view : {"Timing", "Table", "Health"})
          for (const size_t components : {size_t(3), size_t(10), size_t(1000)})
            looks_right(view, width, height, components, long_names, selected);
        for (const size_t components : {size_t(3), size_t(10), size_t(60)})
          looks_right("Map", width, height, components, long_names, selected);
      }
}

TEST_CASE("frame: spec and target have their names in the top bar, however many tabs there are") {
  for (const float width : {800.f, 1000.f, 1280.f, 1600.f, 2560.f}) {
    Stage stage(width, 800);
    feed(stage);
    CHECK_MESSAGE(stage.shows("compmond file host filehost"), width);
  }
}

TEST_CASE("frame: a process that calls itself otherwise than its program has both names") {
  Stage stage(1900, 800);
  snapshot::View answer = file_host();
  answer.snapshot->targets.front().exe = "/usr/bin/python3.11";
  answer.snapshot->targets.front().name = "gunicorn";
  feed(stage, answer);
  CHECK(stage.shows("gunicorn (python3.11) · pid 4711"));
  answer.snapshot->targets.front().exe = "/opt/file-host-with-a-long-name";
  answer.snapshot->targets.front().name = "file-host-with-";
  feed(stage, answer);
  CHECK(stage.shows("file-host-with-a-long-name · pid 4711"));
}

TEST_CASE("frame: a window does not follow a run that has ended") {
  Stage stage(1280, 800);
  feed(stage);
  CHECK(stage.shows("(follows)"));
  snapshot::View ended = file_host();
  ended.run.live = false;
  feed(stage, std::move(ended));
  CHECK(stage.shows("window 5.00 s (to the end)"));
  CHECK_FALSE(stage.shows("follows"));
}

TEST_CASE("frame: the status bar says what is live, attached, lost, and what it costs") {
  Stage stage(1280, 800);
  feed(stage);
  CHECK(stage.shows("live"));
  CHECK(stage.shows("attached 20 of 20 operations"));
  CHECK(stage.shows("11,240 events/s"));
  CHECK(stage.shows("lost 0"));
  CHECK(stage.shows("overhead 0.40 %"));
  CHECK(stage.shows("history 22.0 s, 31 MiB"));
}

TEST_CASE("frame: bad news stays in the status bar of the narrowest screen") {
  Stage stage(640, 480);
  snapshot::View answer = file_host();
  answer.snapshot->health.lost = 12;
  answer.snapshot->health.refused.push_back({"log_line", "inlined"});
  answer.snapshot->health.throttled.push_back("next");
  answer.snapshot->health.balanced = false;
  feed(stage, std::move(answer));
  for (const char* news : {"lost 12", "1 refused", "1 throttled", "accounts do not hold", "live"})
    CHECK(stage.shows(news));
  CHECK_FALSE(stage.shows("history"));
}

TEST_CASE("frame: one line says that the run is busy, and what to do, in as few words as fit") {
  snapshot::View answer = file_host();
  answer.snapshot->health.throttled.push_back("next");
  const auto shows = [&](float width, const std::string& note, const std::string& line) {
    answer.snapshot->health.notes = {note, "the file was replaced"};
    Stage stage(width, 480);
    feed(stage, answer);
    CHECK_MESSAGE(stage.shows(line), width << ": " << line);
    CHECK(stage.shows("1 note"));
    CHECK(stage.shows("live"));
    CHECK_FALSE(stage.shows("throttled"));
  };
  const std::string
      remedy = "Exact: --allow-patching (≈ 2 %), --max-overhead off (≈ 31 %), or fewer operations",
      soon = "busy: time from samples; calls: 3 of 6 slices so far. ",
      told = "busy: time from samples; calls from 6 % of the time",
      some = " (≈ ±3 % for 20; 4 may depend on load). ";
  shows(1280, soon + remedy, soon + remedy);
  shows(800, soon + remedy, soon + "Exact: --allow-patching");
  shows(640, soon + remedy, "busy: time from samples; calls: 3 of 6 slices so far");
  shows(1280, told + some + remedy, told + some + remedy);
  shows(800, told + some + remedy, told + ". Exact: --allow-patching");
  shows(640, told + some + remedy, told);
}

TEST_CASE("frame: a broken connection, an ended run and a paused window are told") {
  Stage stage(1280, 800);
  feed(stage);
  pause(stage.model);
  stage.settle();
  CHECK(stage.shows("paused"));
  go_live(stage.model);
  stage.model.link = {Link::State::kLost, "x", "the daemon has ended"};
  stage.settle();
  CHECK(stage.shows("no connection"));
  stage.model.link.state = Link::State::kConnected;
  snapshot::View ended = file_host();
  ended.run.live = false;
  ended.snapshot->targets[0].alive = false;
  feed(stage, std::move(ended));
  CHECK(stage.shows("target ended"));
}

TEST_CASE("frame: when and how the target ended is told where it is known") {
  Stage stage(800, 600);
  snapshot::View ended = file_host();
  ended.run.live = false;
  auto& target = ended.snapshot->targets[0];
  target.alive = false;
  target.ended_ns = ended.run.start_ns + 21'400'000'000;
  feed(stage, ended);
  CHECK(stage.shows("target ended at 21.4 s"));
  target.end_signal = 11;
  feed(stage, std::move(ended));
  CHECK(stage.shows("target killed by SIGSEGV at 21.4 s"));
}

TEST_CASE("frame: without a connection nothing looks live, and when the last answer came is told") {
  for (const char* view : {"Map", "Timing", "Table", "Health"}) {
    CAPTURE(view);
    Stage stage(800, 600);
    REQUIRE(stage.app.show_view(view));
    feed(stage);
    stage.model.heard_wall_s = 1'790'000'000;
    stage.model.link = {Link::State::kLost, "x", "the daemon has ended"};
    if (std::string(view) == "Map") stage.arrange();
    for (int i = 0; i < 20; ++i) stage.frame();
    CHECK_FALSE(stage.app.animates());
    stage.frame(14 - (stage.model.clock_s - stage.model.heard_s));
    CHECK(stage.shows("no connection, last answer " + text::time_of_day(1'790'000'000) +
                      ", 14 s ago"));
    CHECK_FALSE(stage.shows("follows"));
    CHECK_FALSE(stage.shows("events/s"));
    for (const Glyph& glyph : stage.glyphs()) CHECK(glyph.colour != stage.theme.green);
    if (std::string(view) != "Health") CHECK(stage.shows("(frozen)"));
  }
}

TEST_CASE("frame: the title says whose figures these are, and whether they go on") {
  Stage stage(1280, 800);
  CHECK(screen_title(stage.model) == "compmond");
  feed(stage);
  stage.model.hello.spec_name = "file host";
  CHECK(screen_title(stage.model) == "file host – compmond");
  stage.model.link.state = Link::State::kLost;
  CHECK(screen_title(stage.model) == "file host (no connection) – compmond");
  snapshot::View ended = file_host();
  ended.run.live = false;
  feed(stage, std::move(ended));
  CHECK(screen_title(stage.model) == "file host (ended) – compmond");
}

TEST_CASE(
    "frame: without figures it says that it waits, with nothing attached, why and what to check") {
  Stage stage(1280, 800);
  stage.settle();
  CHECK(stage.shows("Waiting for the first figures."));
  snapshot::View answer = file_host();
  for (auto& component : answer.snapshot->components) component.status = snapshot::Status::kRefused;
  answer.snapshot->health.attached = 0;
  answer.snapshot->health.refused.push_back({"fh::open", "there is no such function"});
  answer.snapshot->spec_path = "app.json";
  feed(stage, std::move(answer));
  REQUIRE(stage.app.show_view("Table"));
  stage.settle();
  CHECK(stage.shows("Nothing is attached."));
  CHECK(stage.shows("fh::open: there is no such function."));
  CHECK(stage.shows("compmond check --spec app.json --pid 4711"));
}

TEST_CASE("frame: texts have a contrast of at least 4.5:1 in both themes") {
  for (const bool dark : {true, false}) {
    const Theme theme = make_theme(dark, 1);
    for (const ImU32 below : {theme.background, theme.panel, theme.raised})
      for (const ImU32 text :
           {theme.strong, theme.text, theme.dim, theme.blue_text, theme.amber, theme.green}) {
        INFO("dark " << dark << ", " << std::hex << to_rgb(text) << " on " << to_rgb(below));
        CHECK(contrast(text, below) >= 4.5f);
      }
    CHECK(contrast(theme.on_blue, theme.blue_fill) >= 4.5f);
  }
}

TEST_CASE("frame: all keys are listed inside the smallest screen, one below the other") {
  Stage stage(640, 480);
  feed(stage);
  stage.app.character('?');
  stage.settle();
  const float first = stage.find("views, in the order of their tabs").y;
  const float second = stage.find("pause, go on").y, last = stage.find("these keys").y;
  CHECK(first > 0);
  CHECK(second - first >= 14);
  CHECK(last < 470);
}
