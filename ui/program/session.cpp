// SPDX-License-Identifier: Apache-2.0
#include "ui/program/session.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <csignal>
#include <memory>

#include "base/clock.h"
#include "text/clean.h"
#include "ui/frame/app.h"
#include "ui/link/client.h"
#include "ui/link/pace.h"
#include "ui/program/files.h"
#include "ui/program/window.h"
#include "ui/views/all.h"

namespace compmond::ui {
namespace {

constexpr double kFrame = 0.038;          // at least so often while something moves, see Pace
constexpr double kShortestFrame = 0.012;  // and at most: beyond 80 a second nobody sees more
constexpr double kIdleFrame = 3;          // and while only time passes: nothing else would move
constexpr double kJustTouched = 1;        // an answer may be to what was touched
constexpr int kSettling = 3;              // frames after input: ImGui's hover and focus take two
constexpr uint64_t kCompleteAnswers =
    3;                             // of a picture: the third is asked for with the final layout
constexpr int kMovingFrames = 15;  // of a picture of what never rests: eased and arranged by then
constexpr double kSaveAfter = 2;   // seconds after a change of the settings

std::atomic<bool> interrupted{false};

double seconds() { return double(monotonic_ns()) / 1e9; }

struct ImGuiContextOwner {
  ImGuiContextOwner() {
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
  }
  ~ImGuiContextOwner() { ImGui::DestroyContext(); }
};

// Everything of a running window, and its loop.
class Session {
 public:
  Session(const Options& options, GlWindow& window, Client& client, Theme& theme)
      : options_(options),
        window_(window),
        client_(client),
        theme_(theme),
        app_(model_, theme_, make_views()) {}
  Result<void> run();

 private:
  Result<void> prepare();
  void hear();  // takes events of the client in
  void greeted(snapshot::Hello&& hello);
  void ask();
  void grant();  // does what the views wished
  void tell(const std::string& path, const Result<void>& written, const char* what);
  Result<void> draw(bool for_screenshot);
  void remember(bool at_once);
  bool frame_due(bool touched);
  bool picture_due() const;
  double patience() const;  // until something may have to be done

  const Options& options_;
  GlWindow& window_;
  Client& client_;
  Theme& theme_;
  Model model_;
  App app_;
  Pace pace_;
  std::string settings_path_;
  Settings saved_;
  Overrides overrides_;
  double changed_s_ = 0, drawn_s_ = 0, touched_s_ = 0;
  bool unsaved_ = false;
  bool fresh_ = true;  // something arrived that is not drawn yet
  int settling_ = kSettling, frames_since_complete_ = 0;
  uint64_t answers_ = 0, request_id_ = 0;
};

void Session::greeted(snapshot::Hello&& hello) {
  const bool first = settings_path_.empty() || hello.spec_name != model_.hello.spec_name;
  model_.link.state = Link::State::kConnected;
  model_.link.reason.clear();
  model_.hello = std::move(hello);
  pace_.lost();
  if (!first) return;
  settings_path_ = settings_path(model_.hello.spec_name);
  auto settings = load_settings(settings_path_);
  if (settings) {
    model_.settings = *settings;
  } else {
    say(model_, settings.error().text(), true);
    settings_path_.clear();  // what is not ours stays as it is
  }
  saved_ = model_.settings;
  model_.chosen = {};
  model_.traces = {};
  const auto& metrics = model_.hello.metrics;
  if (std::none_of(metrics.begin(), metrics.end(),
                   [&](const auto& m) { return m.name == model_.settings.metric; }))
    model_.settings.metric = metrics.empty() ? "overall" : metrics.front().name;
  if (!options_.theme.empty()) overrides_.dark = model_.settings.dark = options_.theme == "dark";
  model_.window.length_ns = uint64_t(model_.settings.window_s * 1e9);
  app_.show_view(model_.settings.view);
  window_.set_title(fmt::format("{} – compmond", text::clean(model_.hello.spec_name)));
}

Result<void> Session::prepare() {
  model_.link.address = options_.connect.empty() ? "this machine" : options_.connect;
  hear();
  if (!options_.view.empty() && !app_.show_view(options_.view)) {
    std::string names;
    for (const auto& view : make_views())
      names += (names.empty() ? "" : ", ") + std::string(view->name());
    return fail(Exit::kUsage, fmt::format("cannot show '{}'", options_.view),
                "there is no such view", "There are " + names + ".");
  }
  if (!options_.view.empty()) overrides_.view = model_.settings.view;
  model_.selection.component = options_.select;
  for (const char letter : options_.keys) {
    app_.key(std::toupper(uint8_t(letter)), false, false);  // GLFW numbers letters as ASCII does
    app_.character(uint8_t(letter));
  }
  return {};
}

void Session::hear() {
  for (Client::Event& event : client_.events()) {
    const bool figures = event.answer && event.answer->view;
    fresh_ |= !figures || !options_.screenshot.empty() ||
              model_.clock_s - touched_s_ < kJustTouched || answers_ < kCompleteAnswers ||
              tells_news(model_, *event.answer->view);
    if (event.hello) greeted(std::move(*event.hello));
    if (event.lost) {
      model_.wishes.control.reset();
      model_.link.state = Link::State::kLost;
      model_.link.reason =
          *event.lost + (client_.can_reconnect() ? " Trying again every second." : "");
      pace_.lost();
    }
    if (!event.answer) continue;
    if (const auto& done = event.answer->control) {
      if (!done->error.empty()) say(model_, done->error, true);
      pace_.lost();  // what was done shows at once
      continue;
    }
    pace_.answered(model_.clock_s);
    ++answers_;
    if (event.answer->view) take(model_, std::move(*event.answer->view));
    if (event.answer->refusal)
      say(model_, "compmond refuses: " + event.answer->refusal->error, true);
  }
}

void Session::ask() {
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

void Session::grant() {
  if (!std::exchange(model_.wishes.snapshot, false)) return;
  if (!model_.snapshot) return say(model_, "There are no figures yet.", true);
  const std::string path = output_path(model_.hello.spec_name, ".json");
  tell(path, write_snapshot(path, *model_.snapshot), "Snapshot");
}

void Session::tell(const std::string& path, const Result<void>& written, const char* what) {
  if (written)
    say(model_, fmt::format("{} written to {}", what, path));
  else
    say(model_, written.error().text(), true);
}

Result<void> Session::draw(bool for_screenshot) {
  const bool wished = std::exchange(model_.wishes.picture, false);
  GlWindow::Picture picture;
  window_.draw([&](ImVec2 size) { app_.frame(size); },
               wished || for_screenshot ? &picture : nullptr);
  drawn_s_ = model_.clock_s;
  fresh_ = false;
  settling_ = std::max(0, settling_ - 1);
  if (answers_ >= kCompleteAnswers) ++frames_since_complete_;
  if (for_screenshot) return write_png(options_.screenshot, picture);
  if (wished) {
    const std::string path = output_path(model_.hello.spec_name, ".png");
    tell(path, write_png(path, picture), "Picture");
  }
  return {};
}

void Session::remember(bool at_once) {
  if (model_.window.live) model_.settings.window_s = double(model_.window.length_ns) / 1e9;
  const Settings wanted = to_remember(model_.settings, saved_, overrides_);
  unsaved_ = wanted != saved_;
  if (!unsaved_) {
    changed_s_ = model_.clock_s;
    return;
  }
  if (settings_path_.empty() || !options_.screenshot.empty()) return;
  if (!at_once && model_.clock_s - changed_s_ < kSaveAfter) return;
  if (auto saved = save_settings(settings_path_, wanted); !saved) {
    say(model_, saved.error().text(), true);
    settings_path_.clear();  // once is enough
  }
  saved_ = wanted;
  unsaved_ = false;
}

bool Session::frame_due(bool touched) {
  if (touched || model_.wishes.picture) settling_ = kSettling;
  if (touched) touched_s_ = model_.clock_s;
  const double since = model_.clock_s - drawn_s_;
  if (since < kShortestFrame) return false;
  if (fresh_ || settling_ > 0 || since >= kIdleFrame) return true;
  return since >= kFrame && app_.animates();
}

bool Session::picture_due() const {
  const int drawn = frames_since_complete_ - options_.frames;
  return answers_ >= kCompleteAnswers && drawn > (app_.animates() ? kMovingFrames : 0);
}

double Session::patience() const {
  const double to_frame = std::max(0.0, kShortestFrame - (model_.clock_s - drawn_s_));
  if (fresh_ || settling_ > 0) return std::max(to_frame, 1e-3);
  double wait = client_.idle() ? pace_.wait_s(model_, model_.clock_s) : 10;
  if (app_.animates()) wait = std::min(wait, kFrame - (model_.clock_s - drawn_s_));
  wait = std::min(wait, kIdleFrame - (model_.clock_s - drawn_s_));
  if (unsaved_) wait = std::min(wait, kSaveAfter);
  return std::clamp(wait, 1e-3, 10.0);
}

Result<void> Session::run() {
  if (auto ready = prepare(); !ready) return ready;
  // Wherever the mouse happens to be, it is no part of a picture.
  if (!options_.screenshot.empty()) ImGui::GetIO().ConfigFlags |= ImGuiConfigFlags_NoMouse;
  window_.set_input({[&](int key, bool control, bool shift) { app_.key(key, control, shift); },
                     [&](unsigned code_point) { app_.character(code_point); }});
  while (!window_.closing() && !model_.wishes.quit && !interrupted) {
    model_.clock_s = seconds();
    hear();
    ask();
    const bool touched = window_.wait(patience());
    model_.clock_s = seconds();
    hear();
    if (frame_due(touched)) {
      const bool last = !options_.screenshot.empty() && picture_due();
      if (auto drawn = draw(last); !drawn || last) return drawn;
      grant();
    }
    remember(false);
  }
  remember(true);
  if (!options_.screenshot.empty())
    return fail(Exit::kNoInput, "there is no picture",
                "the window was closed before its first complete frame");
  return {};
}

}  // namespace

Result<void> run_window(const Options& options) {
  std::atomic<bool> open{false};
  auto connected = Client::open({options.connect, options.fd, options.token}, [&open] {
    if (open) GlWindow::wake();
  });
  if (!connected) return Unexpected(std::move(connected.error()));
  const ImGuiContextOwner context;
  auto window = GlWindow::open("compmond", options.width, options.height);
  if (!window) return Unexpected(std::move(window.error()));
  open = true;
  // From here on the client goes before the window that its thread wakes.
  const std::unique_ptr<Client> client = std::move(*connected);
  std::signal(SIGINT, [](int) { interrupted = true; });
  std::signal(SIGTERM, [](int) { interrupted = true; });

  Theme theme = make_theme(options.theme != "light", (*window)->scale());
  if (auto loaded = load_fonts(theme); !loaded) return loaded;
  apply_style(theme);
  if (auto started = (*window)->start_drawing(); !started) return started;
  return Session(options, **window, *client, theme).run();
}

}  // namespace compmond::ui
