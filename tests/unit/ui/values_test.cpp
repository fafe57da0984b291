// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "base/safe_file.h"
#include "geometry/color.h"
#include "stage.h"
#include "ui/kit/draw.h"
#include "ui/kit/names.h"
#include "ui/link/pace.h"
#include "ui/model/news.h"
#include "ui/views/shared/heat.h"

using namespace compmond;
using namespace compmond::ui;

TEST_CASE("names: a thread by its name and number") {
  CHECK(thread_name("", 4712) == "thread 4712");
  CHECK(thread_name("wor\nker", 4712) == "worker  4712");
}

TEST_CASE("names: cut ones are told from each other, whichever end differs") {
  const Stage stage(800, 600);
  const std::vector<std::string> names = {
      "FileEncrypter",       "FileDecrypter",   "FileHandler",    "FileWriterOfBlocksA",
      "FileWriterOfBlocksB", "BlockFileWriter", "StockFileWriter"};
  for (float width = 40; width < 120; width += 5) {
    CAPTURE(width);
    std::set<std::string> shown;
    for (const std::string& name : names) {
      const std::string cut = ellipsized(stage.theme.body, name, width, names);
      CHECK(text_size(stage.theme.body, cut).x <= width);
      shown.insert(cut);
    }
    CHECK(shown.size() == names.size());
  }
  CHECK(ellipsized(stage.theme.body, "FileEncrypter", 500, names) == "FileEncrypter");
}

TEST_CASE("words: lines break at blanks, never within a number") {
  const Stage stage(800, 600);
  ImFont* font = stage.theme.body;
  const std::string text = "Its figures are sums: 1.05 s inside, 2,400,311 calls.\nAnd more.";
  for (float width = 90; width < 400; width += 3) {
    CAPTURE(width);
    std::string lines = wrapped(font, text, width);
    CHECK(text_size(font, lines).x <= width);
    CHECK(lines.find("2,400,311") != std::string::npos);
    std::ranges::replace(lines, '\n', ' ');
    std::string flat = text;
    std::ranges::replace(flat, '\n', ' ');
    CHECK(lines == flat);
  }
}

TEST_CASE("model: figures ease towards the newest within a quarter of a second, then rest") {
  Model model;
  take(model, file_host());
  CHECK_FALSE(ease(model, 0.04));
  snapshot::View next = file_host();
  next.snapshot->components[0].figures.hotness = 90;
  take(model, std::move(next));
  CHECK(ease(model, 0.04));
  const double hotness = model.eased_of("HTTPServer").hotness;
  CHECK(hotness > 10);
  CHECK(hotness < 90);
  for (int i = 0; i < 12; ++i) ease(model, 0.04);
  CHECK(model.eased_of("HTTPServer").hotness == 90);
  CHECK_FALSE(ease(model, 0.04));
}

TEST_CASE("model: now runs on between answers, but not far beyond the daemon's word") {
  Model model;
  model.link.state = Link::State::kConnected;
  take(model, file_host());
  model.clock_s += 0.05;
  CHECK(model.now_ns() == model.run.now_ns + 50'000'000);
  model.clock_s += 60;
  CHECK(model.now_ns() < model.run.now_ns + 1'000'000'000);
  model.link.state = Link::State::kLost;
  CHECK(model.now_ns() == model.run.now_ns);
}

TEST_CASE("model: search ignores case and finds parts") {
  Model model;
  CHECK(model.found("anything"));
  model.search.text = "encR";
  CHECK(model.found("FileEncrypter"));
  CHECK_FALSE(model.found("FileReader"));
}

TEST_CASE("settings: written and read again they are equal, threads excepted") {
  char folder[] = "/tmp/compmond-settings-XXXXXX";
  REQUIRE(::mkdtemp(folder));
  const std::string path = std::string(folder) + "/new/folder/spec.json";
  Settings settings;
  settings.view = ViewId::kTiming;
  settings.metric = "p99";
  settings.hue = Hue::kColourBlindSafe;
  settings.free_rgb = 0x123456;
  settings.steps = 12;
  settings.dark = false;
  settings.window_s = 12.5;
  settings.hidden = {"A/B", "weird \"name\""};
  settings.isolated = {"C"};
  settings.colours = {{"A", 0xff00ff}};
  settings.boxes = {{"A", {1.5f, -2}}};
  settings.options = {{"timing/follow", 1}};
  settings.filter.components = {"A"};
  settings.filter.operations = {"fh::open"};
  settings.filter.min_duration_ns = 7;
  REQUIRE(save_settings(path, settings));
  const auto read = load_settings(path);
  REQUIRE(read);
  CHECK(*read == settings);
  std::filesystem::remove_all(folder);
}

TEST_CASE("settings: a file that is not ours is an error, damaged members are defaults") {
  char folder[] = "/tmp/compmond-settings-XXXXXX";
  REQUIRE(::mkdtemp(folder));
  const std::string path = std::string(folder) + "/spec.json";
  CHECK(load_settings(path));
  REQUIRE(write_file_whole(path, "[1, 2"));
  CHECK_FALSE(load_settings(path));
  REQUIRE(write_file_whole(
      path, R"({"schema": "compmond.window/1", "view": 3, "steps": 100000, "window_s": -1,
    "hidden": [1, "A"], "boxes": {"A": [1]}, "hue": "pink", "colours": {"A": "red"}})"));
  const auto read = load_settings(path);
  REQUIRE(read);
  CHECK(read->view == ViewId::kMap);
  CHECK(read->steps == 255);
  CHECK(read->window_s > 0);
  CHECK(read->hidden == std::set<std::string>{"A"});
  CHECK(read->boxes.empty());
  CHECK(read->hue == Hue::kRed);
  std::filesystem::remove_all(folder);
}

TEST_CASE("settings: a view is known by its label in whatever case, an unknown one is the first") {
  CHECK(view_named("Call tree") == ViewId::kCallTree);
  CHECK(view_named("trace TIMING") == ViewId::kTraceTiming);
  CHECK_FALSE(view_named("Trace"));
  CHECK_FALSE(view_named(""));
  char path[] = "/tmp/compmond-settings-XXXXXX";
  REQUIRE(::close(::mkstemp(path)) == 0);
  for (const auto& [text, id] : {std::pair{"health", ViewId::kHealth}, {"Nowhere", ViewId::kMap}}) {
    REQUIRE(write_file_whole(
        path, fmt::format(R"({{"schema": "compmond.window/1", "view": "{}"}})", text)));
    CHECK(load_settings(path)->view == id);
  }
  ::unlink(path);
}

TEST_CASE("settings: files of different specs differ and stay in the folder") {
  ::setenv("XDG_CONFIG_HOME", "/nowhere", 1);
  CHECK(settings_path("app") == "/nowhere/compmond/app.json");
  CHECK(settings_path("a b") != settings_path("a_b"));
  CHECK(settings_path("../../etc/passwd").find("..") == std::string::npos);
}

TEST_CASE("settings: hiding and isolating reach what a component contains") {
  Settings settings;
  settings.hidden = {"A/B"};
  CHECK(settings.shows("A"));
  CHECK_FALSE(settings.shows("A/B/C"));
  CHECK(settings.shows("A/Bx"));
  settings.isolated = {"A"};
  CHECK(settings.shows("A/x"));
  CHECK_FALSE(settings.shows("D"));
}

TEST_CASE("heat: none is neutral, full is the hue, and steps are steps") {
  const Theme theme = make_theme(true, 1);
  Settings settings;
  for (const Hue hue : {Hue::kRed, Hue::kGreen, Hue::kBlue, Hue::kGrey, Hue::kFree}) {
    settings.hue = hue;
    CHECK(heat(theme, settings, 0) == theme.bar);
    CHECK(heat(theme, settings, 100) == full_hue(theme, settings));
    CHECK(heat(theme, settings, 95) == heat(theme, settings, 92));
    CHECK(heat(theme, settings, 95) != heat(theme, settings, 80));
  }
}

TEST_CASE("theme: what is written on a fill reads, whatever the fill") {
  for (const bool dark : {true, false}) {
    const Theme theme = make_theme(dark, 1);
    for (uint32_t grey = 0; grey < 256; ++grey) {
      const ImU32 fill = from_rgb(grey << 16 | grey << 8 | grey);
      CHECK(contrast(text_on(theme, fill), fill) >= 4.5);
    }
  }
  CHECK(mix(from_rgb(0x204060), from_rgb(0x406080), 0.5f) == from_rgb(0x305070));
  CHECK(rgb_of(from_rgb(0x123456)) == geometry::Rgb{0x12, 0x34, 0x56});
}

TEST_CASE("heat: amber is for distrust: neither scales nor component colours come near it") {
  const auto distance = [](ImU32 a, ImU32 b) {
    const geometry::Lab x = geometry::oklab(rgb_of(a)), y = geometry::oklab(rgb_of(b));
    return std::hypot(x.lightness - y.lightness, x.a - y.a, x.b - y.b);
  };
  snapshot::View answer = file_host(12);
  for (auto& component : answer.snapshot->components) component.color.clear();
  Model model;
  take(model, std::move(answer));
  for (const bool dark : {true, false}) {
    const Theme theme = make_theme(dark, 1);
    for (const auto& [path, rgb] : model.hues) CHECK(distance(from_rgb(rgb), theme.amber) > 0.1);
    model.settings.hue = Hue::kRed;
    CHECK(distance(heat(theme, model.settings, 100), theme.amber) > 0.15);
    model.settings.steps = 32;
    for (const Hue hue : {Hue::kPerceptual, Hue::kColourBlindSafe}) {
      model.settings.hue = hue;
      for (int hotness = 0; hotness <= 100; ++hotness)
        CHECK(distance(heat(theme, model.settings, hotness), theme.amber) > 0.15);
    }
  }
}

TEST_CASE("heat: component colours are the spec's, else of a palette, a hand's choice wins") {
  const Theme theme = make_theme(true, 1);
  Model model;
  snapshot::View answer = file_host(4);
  answer.snapshot->components[1].color = "#123456";
  answer.snapshot->components[2].name = "AccessControl/inner";
  answer.snapshot->components[2].parent = "AccessControl";
  answer.snapshot->components[3].color = "pink";
  take(model, std::move(answer));
  CHECK(full_hue_of(theme, model, "AccessControl") == full_hue(theme, model.settings));
  model.settings.hue = Hue::kComponents;
  CHECK(full_hue_of(theme, model, "AccessControl") == from_rgb(0x123456));
  CHECK(full_hue_of(theme, model, "AccessControl/inner") == from_rgb(0x123456));
  CHECK(heat_of(theme, model, "AccessControl", 100) == from_rgb(0x123456));
  CHECK(heat_of(theme, model, "AccessControl", 0) == theme.bar);
  CHECK(full_hue_of(theme, model, "HTTPServer") != full_hue_of(theme, model, "PluginManager"));
  model.settings.colours["AccessControl"] = 0xabcdef;
  CHECK(full_hue_of(theme, model, "AccessControl") == from_rgb(0xabcdef));
  model.settings.hue = Hue::kGreen;
  CHECK(heat_of(theme, model, "AccessControl", 100) == from_rgb(0xabcdef));
}

TEST_CASE("settings: what a flag has chosen is remembered only once a hand has chosen too") {
  Settings before;
  before.view = ViewId::kTable;
  Settings now = before;
  Overrides flags{ViewId::kHealth, false};
  now.view = ViewId::kHealth, now.dark = false, now.metric = "p99";
  Settings kept = to_remember(now, before, flags);
  CHECK(kept.view == ViewId::kTable);
  CHECK(kept.dark);
  CHECK(kept.metric == "p99");
  now.view = ViewId::kTiming, now.dark = true;
  CHECK(to_remember(now, before, flags) == now);
  now.view = ViewId::kHealth, now.dark = false;
  CHECK(to_remember(now, before, flags) == now);
}

TEST_CASE("pace: live 25 times a second, paused for news only, at once for something else") {
  Model model;
  take(model, file_host());
  snapshot::ViewRequest request;
  Pace pace;
  CHECK(pace.due(model, request, 0));
  pace.asked(request, 0);
  pace.answered(0.001);
  CHECK_FALSE(pace.due(model, request, 0.03));
  CHECK(pace.due(model, request, 0.041));
  set_window(model, model.run.start_ns, model.run.start_ns + 1'000'000'000);
  CHECK_FALSE(pace.due(model, request, 0.5));
  CHECK(pace.due(model, request, 1.01));
  request.metric = "p99";
  CHECK(pace.due(model, request, 0.03));
}

TEST_CASE("pace: a live run in which nothing happens is asked twice a second") {
  Model model;
  take(model, file_host());
  snapshot::ViewRequest request;
  Pace pace;
  pace.asked(request, 0);
  pace.answered(0.001);
  for (snapshot::Component& component : model.snapshot->components) component.figures.open = 0;
  model.run.events_per_s = 0;
  CHECK_FALSE(pace.due(model, request, 0.3));
  CHECK(pace.due(model, request, 0.51));
  model.snapshot->components[0].figures.open = 1;
  CHECK(pace.due(model, request, 0.05));
}

TEST_CASE("model: an answer in which only time has passed is no news, anything else is") {
  Model model;
  const auto idle = [] {
    snapshot::View view = file_host();
    view.run.events_per_s = 0;
    return view;
  };
  CHECK(tells_news(model, idle()));  // the first
  take(model, idle());
  snapshot::View later = idle();
  later.run.now_ns += 1'000'000'000;
  later.snapshot->window_end_ns += 1'000'000'000;
  later.strip->start_ns += 1'000'000'000, later.strip->end_ns += 1'000'000'000;
  CHECK_FALSE(tells_news(model, later));
  const auto tells = [&](auto change) {
    snapshot::View view = later;
    change(view);
    return tells_news(model, view);
  };
  CHECK(tells([](auto& view) { view.run.events_per_s = 1; }));
  CHECK(tells([](auto& view) { view.run.live = false; }));
  CHECK(tells([](auto& view) { ++view.snapshot->components[3].figures.calls; }));
  CHECK(tells([](auto& view) { ++view.snapshot->edges[0].count; }));
  CHECK(tells([](auto& view) { ++view.snapshot->health.lost; }));
  CHECK(tells([](auto& view) { view.snapshot->targets[0].alive = false; }));
  CHECK(tells([](auto& view) { view.strip->end_ns += 1; }));
  CHECK(tells([](auto& view) { view.executions = executions_of(view); }));
  pause(model);
  CHECK(tells_news(model, later));  // how long ago the window was is shown
}

TEST_CASE("model: samples of threads that only wait are no news, those of what ran are") {
  Model model;
  snapshot::View idle = file_host();
  idle.run.events_per_s = 0;
  idle.snapshot->health.samples.emplace().hz = 99;
  const auto waiting = [](double ns) {
    snapshot::Estimated out;
    out.waiting_ns = snapshot::Estimate{ns, 0, ns + 1e7};
    return out;
  };
  for (snapshot::Component& component : idle.snapshot->components)
    component.figures.estimated = waiting(1e9);
  CHECK(tells_news(model, idle));
  take(model, snapshot::View(idle));
  const auto tells = [&](auto change) {
    snapshot::View view = idle;
    change(*view.snapshot);
    return tells_news(model, view);
  };
  CHECK_FALSE(tells([&](auto& snapshot) {
    auto& samples = snapshot.health.samples;
    ++samples->taken, ++samples->broken, ++samples->elsewhere;
    samples->off_cpu_share = 0.99;
    samples->waiting_ns = 5.1e9, samples->elsewhere_waiting_ns = {5.1e9, 5e9, 5.2e9};
    samples->elsewhere_by_image = {{"/lib/libc.so.6", {}, {5.1e9, 5e9, 5.2e9}}};
    samples->known_until_ns += 1'000'000'000;
    snapshot.components[0].figures.estimated = waiting(1.1e9);
    snapshot.components[0].figures.hotness += 1;
    snapshot.components[0].subtree.estimated = waiting(1.1e9);
    snapshot.components[0].operations[0].figures.estimated = waiting(1.1e9);
    snapshot.edges[0].estimated = waiting(1.1e9);
  }));
  const snapshot::Snapshot& shown = *idle.snapshot;
  const auto hundredth = double(shown.window_end_ns - shown.window_start_ns) / 100;
  for (const double part : {0.9, 1.1}) {
    const double ns = part * hundredth;
    const bool news = part > 1;
    CHECK(tells([&](auto& snapshot) { snapshot.health.samples->cpu_ns = ns; }) == news);
    CHECK(tells([&](auto& snapshot) { snapshot.health.samples->elsewhere_cpu_ns.value_ns = ns; }) ==
          news);
  }
  CHECK(tells([](auto& snapshot) { ++snapshot.health.samples->lost; }));
  CHECK(tells([](auto& snapshot) { snapshot.health.samples->hz = 0; }));
  CHECK(tells([](auto& snapshot) { snapshot.health.samples.reset(); }));
  CHECK(tells([](auto& snapshot) { ++snapshot.components[0].figures.calls; }));
}

TEST_CASE("pace: a slow daemon is asked less often, a large strip less often than figures") {
  Model model;
  take(model, file_host());
  snapshot::ViewRequest request;
  request.strip = {0, 1000, 500};
  Pace pace;
  CHECK(pace.trimmed(request, 1000, 0).strip);
  pace.asked(request, 0);
  pace.answered(1);
  CHECK_FALSE(pace.due(model, request, 0.5));
  CHECK_FALSE(pace.trimmed(request, 1000, 0.5).strip);
  CHECK(pace.trimmed(request, 10, 0.5).strip);
  CHECK(pace.trimmed(request, 1000, 3).strip);
  request.strip->end_ns = 2000;
  CHECK(pace.trimmed(request, 1000, 0.5).strip);
}
