// SPDX-License-Identifier: Apache-2.0
#include "ui/program/main_loop.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <csignal>
#include <ctime>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "text/nearest.h"
#include "ui/frame/app.h"
#include "ui/frame/frame.h"
#include "ui/link/client.h"
#include "ui/link/pace.h"
#include "ui/model/news.h"
#include "ui/model/switching.h"
#include "ui/program/files.h"
#include "ui/program/frame_timing.h"
#include "ui/program/screen.h"
#include "ui/program/settings_keeper.h"
#include "ui/views/kinds.h"

namespace compmond::ui {
namespace {

constexpr uint64_t kCompleteAnswers =
    3;                             // of a picture: the third is asked for with the final layout
constexpr int kMovingFrames = 15;  // of a picture of what never rests: eased and arranged by then

std::atomic<bool> interrupted{false};

double seconds() { return double(monotonic_ns()) / 1e9; }
double wall_seconds() { return double(std::time(nullptr)); }

struct ImGuiContextOwner {
  ImGuiContextOwner() {
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
  }
  ~ImGuiContextOwner() { ImGui::DestroyContext(); }
};

// Everything between the connection and the screen, turn by turn.
class MainLoop {
 public:
  MainLoop(const Options& options, Screen& screen, Client& client, Theme& theme)
      : options_(options),
        screen_(screen),
        client_(client),
        theme_(theme),
        app_(model_, theme_, view_kinds()),
        settings_(!options.screenshot.empty()) {}
  Result<void> run();

 private:
  Result<void> prepare();
  void hear();  // takes events of the client in
  void check_selected();
  void greeted(snapshot::Hello&& hello);
  void ask();
  void grant();  // does what the views wished
  void tell_title();
  void tell_written(const std::string& path, const Result<void>& written, const char* what);
  Result<void> draw(bool for_screenshot);
  bool picture_due() const;
  bool nears_picture() const;  // its frames are drawn, though nothing may move any more
  FrameTiming::Looks looks() const { return {app_.animates() || nears_picture(), model_.frozen()}; }
  double patience() const;  // until something may have to be done

  const Options& options_;
  Screen& screen_;
  Client& client_;
  Theme& theme_;
  Model model_;
  App app_;
  Pace pace_;
  SettingsKeeper settings_;
  FrameTiming timing_;
  std::string title_;
  int frames_since_complete_ = 0;
  uint64_t answers_ = 0, request_id_ = 0;
  bool select_checked_ = false;
  std::optional<Error> wrong_;  // of the command line, as the first figures showed
};

void MainLoop::greeted(snapshot::Hello&& hello) {
  const bool first = !settings_.open() || hello.spec_name != model_.hello.spec_name;
  model_.link.state = Link::State::kConnected;
  model_.link.reason.clear();
  model_.hello = std::move(hello);
  pace_.lost();
  if (!first) return;
  settings_.load(model_);
  model_.chosen = {};
  model_.traces = {};
  const auto& metrics = model_.hello.metrics;
  if (std::none_of(metrics.begin(), metrics.end(),
                   [&](const auto& m) { return m.name == model_.settings.metric; }))
    model_.settings.metric = metrics.empty() ? std::string() : metrics.front().name;
  if (options_.dark) settings_.overrides.dark = model_.settings.dark = *options_.dark;
  model_.window.length_ns = uint64_t(model_.settings.window_s * 1e9);
  app_.show_view(model_.settings.view);
}

Result<void> MainLoop::prepare() {
  model_.link.address = options_.connect.empty() ? "this machine" : options_.connect;
  hear();
  if (!options_.view.empty() && !app_.show_view(options_.view)) {
    return fail(Exit::kUsage, fmt::format("cannot show '{}'", options_.view),
                "there is no such view",
                fmt::format("There are {}.", fmt::join(all_words<ViewId>(), ", ")));
  }
  if (!options_.view.empty()) settings_.overrides.view = model_.settings.view;
  model_.selection.component = options_.select;
  for (const char letter : options_.keys) {
    app_.key(std::toupper(uint8_t(letter)), false, false);  // GLFW numbers letters as ASCII does
    app_.character(uint8_t(letter));
  }
  return {};
}

void MainLoop::hear() {
  for (Client::Event& event : client_.events()) {
    const bool figures = event.answer && event.answer->view;
    if (!figures || !options_.screenshot.empty() || timing_.just_touched(model_.clock_s) ||
        answers_ < kCompleteAnswers || tells_news(model_, *event.answer->view))
      timing_.news();
    if (event.hello) greeted(std::move(*event.hello));
    if (event.lost) {
      model_.wishes.control.reset();
      model_.link.state = Link::State::kLost;
      model_.link.parted = event.lost->parted;
      model_.link.reason = event.lost->reason + (event.lost->parted ? "." : "") +
                           (client_.can_reconnect() ? " Trying again every second." : "");
      pace_.lost();
    }
    if (!event.answer) continue;
    if (const auto& done = event.answer->control) {
      tell(model_, *done);
      pace_.lost();  // what was done shows at once
      continue;
    }
    pace_.answered(model_.clock_s);
    ++answers_;
    if (event.answer->view) {
      take(model_, std::move(*event.answer->view));
      model_.heard_wall_s = wall_seconds();
      check_selected();
    }
    if (event.answer->refusal)
      say(model_, "compmond refuses: " + event.answer->refusal->error, true);
  }
}

void MainLoop::check_selected() {
  if (!model_.snapshot || std::exchange(select_checked_, true)) return;
  if (options_.select.empty() || model_.component(options_.select)) return;
  std::vector<std::string_view> known;
  for (const auto& component : model_.snapshot->components) known.push_back(component.name);
  const std::string meant = text::did_you_mean(options_.select, known);
  wrong_ =
      Error{Exit::kUsage, fmt::format("cannot select '{}'", options_.select),
            "there is no such component",
            meant.empty() ? "Name one by its whole path, as the Table (3) shows them." : meant};
  model_.selection = {};
  say(model_, wrong_->text(), true);
}

void MainLoop::ask() {
  if (!client_.idle()) return;
  if (model_.wishes.control)
    return client_.control(*std::exchange(model_.wishes.control, std::nullopt));
  snapshot::ViewRequest request = app_.request();
  if (!pace_.due(model_, request, model_.clock_s)) return;
  request = pace_.trimmed(std::move(request),
                          model_.snapshot ? model_.snapshot->components.size() : 0, model_.clock_s);
  request.id = ++request_id_;
  client_.ask(request);
  pace_.asked(request, model_.clock_s);
}

void MainLoop::grant() {
  if (!std::exchange(model_.wishes.snapshot, false)) return;
  if (!model_.snapshot) return say(model_, "There are no figures yet.", true);
  const std::string path = output_path(model_.hello.spec_name, ".json");
  tell_written(path, write_snapshot(path, *model_.snapshot), "Snapshot");
}

void MainLoop::tell_title() {
  std::string title = screen_title(model_);
  if (title == title_) return;
  title_ = std::move(title);
  screen_.set_title(title_);
}

void MainLoop::tell_written(const std::string& path, const Result<void>& written,
                            const char* what) {
  if (written)
    say(model_, fmt::format("{} written to {}", what, path));
  else
    say(model_, written.error().text(), true);
}

Result<void> MainLoop::draw(bool for_screenshot) {
  const bool wished = std::exchange(model_.wishes.picture, false);
  Screen::Picture picture;
  screen_.draw([&](ImVec2 size) { app_.frame(size); },
               wished || for_screenshot ? &picture : nullptr);
  timing_.drawn(model_.clock_s);
  if (answers_ >= kCompleteAnswers) ++frames_since_complete_;
  if (for_screenshot) return write_png(options_.screenshot, picture);
  if (wished) {
    const std::string path = output_path(model_.hello.spec_name, ".png");
    tell_written(path, write_png(path, picture), "Picture");
  }
  return {};
}

bool MainLoop::nears_picture() const {
  return !options_.screenshot.empty() && answers_ >= kCompleteAnswers;
}

bool MainLoop::picture_due() const {
  const int drawn = frames_since_complete_ - options_.frames;
  return answers_ >= kCompleteAnswers && drawn > (app_.animates() ? kMovingFrames : 0);
}

double MainLoop::patience() const {
  double wait = client_.idle() ? pace_.wait_s(model_, model_.clock_s) : 10;
  if (settings_.unsaved()) wait = std::min(wait, SettingsKeeper::kSaveAfter);
  return std::clamp(timing_.wait_s(model_.clock_s, looks(), wait), 1e-3, 10.0);
}

Result<void> MainLoop::run() {
  if (auto ready = prepare(); !ready) return ready;
  // Wherever the mouse happens to be, it is no part of a picture.
  if (!options_.screenshot.empty()) ImGui::GetIO().ConfigFlags |= ImGuiConfigFlags_NoMouse;
  screen_.set_input({[&](int key, bool control, bool shift) { app_.key(key, control, shift); },
                     [&](unsigned code_point) { app_.character(code_point); }});
  while (!screen_.closing() && !model_.wishes.quit && !interrupted) {
    model_.clock_s = seconds();
    hear();
    ask();
    const bool touched = screen_.wait(patience());
    model_.clock_s = seconds();
    hear();
    tell_title();
    if (wrong_ && !options_.screenshot.empty()) return Unexpected(*wrong_);
    if (touched) timing_.touched(model_.clock_s);
    if (model_.wishes.picture) timing_.settle();
    if (timing_.due(model_.clock_s, looks())) {
      const bool last = !options_.screenshot.empty() && picture_due();
      if (auto drawn = draw(last); !drawn || last) return drawn;
      grant();
    }
    settings_.keep(model_, false);
  }
  settings_.keep(model_, true);
  if (!options_.screenshot.empty())
    return fail(Exit::kNoInput, "there is no picture",
                "the window was closed before its first complete frame");
  return {};
}

}  // namespace

Result<void> run_program(const Options& options) {
  std::atomic<bool> open{false};
  auto connected = Client::open({options.connect, options.fd, options.token}, [&open] {
    if (open) Screen::wake();
  });
  if (!connected) return Unexpected(std::move(connected.error()));
  const ImGuiContextOwner context;
  auto screen = Screen::open("compmond", options.size);
  if (!screen) return Unexpected(std::move(screen.error()));
  open = true;
  // From here on the client goes before the screen that its thread wakes.
  const std::unique_ptr<Client> client = std::move(*connected);
  std::signal(SIGINT, [](int) { interrupted = true; });
  std::signal(SIGTERM, [](int) { interrupted = true; });

  Theme theme = make_theme(options.dark.value_or(true), (*screen)->scale());
  if (auto loaded = load_fonts(theme); !loaded) return loaded;
  apply_style(theme);
  if (auto started = (*screen)->start_drawing(); !started) return started;
  return MainLoop(options, **screen, *client, theme).run();
}

}  // namespace compmond::ui
