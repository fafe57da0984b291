// SPDX-License-Identifier: Apache-2.0
#include "cli/attach_command.h"

#include <unistd.h>

#include <algorithm>

#include "base/clock.h"
#include "base/message.h"
#include "base/process_status.h"
#include "front/signals.h"
#include "front/snapshot_output.h"
#include "front/view_server.h"
#include "front/window.h"
#include "guard/rights.h"
#include "prepare/launcher.h"
#include "run/live_run.h"
#include "run/prepare_run.h"
#include "terminal/live.h"

namespace compmond::cli {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kServiceNs = kSecond / 10;  // how soon the end of the targets is noticed

// One run, from the first message to the summary.
class Run {
 public:
  explicit Run(const run::AttachOptions& options) : options_(options), live_(STDOUT_FILENO) {}

  Result<void> go() {
    run::AttachOptions options = options_;
    auto output = front::SnapshotOutput::open(options.snapshot_path);
    if (!output) return Unexpected(output.error());
    output_.emplace(std::move(*output));
    auto window = front::Window::prepare(options.serve);
    if (!window) return Unexpected(window.error());
    auto server = front::ViewServer::open(options.serve, viewed());
    if (!server) return Unexpected(server.error());
    server_ = std::move(*server);
    std::optional<prepare::Launcher> launched;
    if (!options.target.command.empty()) {
      auto started = prepare::Launcher::start(options.target.command);
      if (!started) return Unexpected(started.error());
      launched.emplace(std::move(*started));
      options.target.pids = {launched->pid()};
    }
    auto parts = run::prepare_run(options.target, options.planning);
    if (!parts) return Unexpected(parts.error());
    auto session = run::LiveRun::attach(std::move(*parts), options);
    if (!session) return Unexpected(session.error());
    session_ = std::move(*session);
    // While the rights to become its user are there.
    if (auto opened = window->open(*server_); !opened) {
      if (options.serve.ui) return opened;
      report(opened.error());
    }
    // From here on nothing is opened, run or looked at that takes rights; threads come after.
    if (auto done = guard::give_up_rights(session_->needs()); !done) return done;
    session_->record();
    if (launched)
      if (auto released = launched->release(); !released) return released;
    say("ready");
    server_->announce();
    watch(launched, *window);
    session_->stop();
    return finish();
  }
  // With --exit-on-slo: an objective was missed.
  bool missed() const { return session_->missed_objective().has_value(); }

 private:
  front::Viewed viewed() {
    return {[this] { return session_->spec_name(); },
            [this](const snapshot::ViewRequest& request) { return session_->view(request); },
            [this]() -> Result<std::string> {
              if (auto written = output_->write(snapshot()); !written)
                return Unexpected(written.error());
              return "written to " + options_.snapshot_path;
            },
            [this] { return save_recording(); },
            {}};
  }

  snapshot::Snapshot snapshot() { return session_->snapshot(options_.window_s, options_.metric); }

  // Until a signal, the duration's end, the window's, a client's wish, a missed objective where
  // that is asked for, or the targets' end. What the targets left stays to be looked at as long as
  // the window is open.
  void watch(std::optional<prepare::Launcher>& launched, front::Window& window) {
    const uint64_t begin = monotonic_ns();
    const uint64_t end =
        options_.duration_s > 0 ? begin + uint64_t(options_.duration_s * 1e9) : UINT64_MAX;
    const auto refresh = uint64_t(options_.refresh_s * 1e9);
    uint64_t next_refresh = begin + refresh;  // nothing is there to be seen before
    uint64_t next_service = 0;
    for (bool recording = true;;) {
      const uint64_t now = monotonic_ns();
      if (now >= end || server_->stop_asked()) break;
      if (now >= next_service) {
        if (launched)
          if (const auto status = launched->ended()) end_of_command_ = status_text(*status);
        session_->service();
        if (recording && !session_->targets_alive()) {
          recording = false;
          session_->stop();
        }
        if (session_->missed_objective()) break;
        if (window.look(*server_, now) == front::Window::Event::kClosed && !options_.serve.keep)
          break;
        if (!recording && !window.is_open()) break;
        next_service = now + kServiceNs;
      }
      if (live_.on() && !window.is_open() && now >= next_refresh) {
        live_.show(snapshot());
        next_refresh = now + refresh;
      }
      const uint64_t due = std::min({server_->step(now), next_service, end});
      const uint64_t then = monotonic_ns();
      const front::Wake wake = signals_.wait(
          due > then ? due - then : 0, recording ? session_->wake_fd() : nothing_, server_->fd());
      if (wake == front::Wake::kStop) break;
      if (wake == front::Wake::kArrival) next_service = 0;
      if (wake == front::Wake::kSnapshot)
        if (const auto written = output_->write(snapshot()); !written)
          report(written.error());  // the run goes on
      if (wake == front::Wake::kSaveRecording) {
        const auto saved = save_recording();
        if (saved)
          say(*saved);
        else
          report(saved.error());  // the run goes on
      }
    }
    if (launched)
      if (const auto status = launched->ended()) end_of_command_ = status_text(*status);
  }

  Result<std::string> save_recording() {
    if (auto saved = session_->save_recording(); !saved) return Unexpected(saved.error());
    return fmt::format("the last {:g} s are in '{}'", options_.record_last_s, options_.record_path);
  }

  Result<void> finish() {
    const snapshot::Snapshot last = snapshot();
    live_.clear();
    const auto shown = output_->show_summary(last);
    if (const auto& missed = session_->missed_objective())
      say("an objective was missed: " + *missed);
    if (!end_of_command_.empty())
      say(fmt::format("'{}' {}", options_.target.command.front(), end_of_command_));
    if (!options_.snapshot_path.empty())
      if (auto written = output_->write(last); !written) return written;
    return shown;
  }

  const run::AttachOptions& options_;
  front::Signals signals_;
  terminal::Live live_;
  std::optional<front::SnapshotOutput> output_;
  std::unique_ptr<run::LiveRun> session_;
  std::unique_ptr<front::ViewServer> server_;  // after session_, which it shows
  std::string end_of_command_;
  const Fd nothing_;
};

}  // namespace

int attach_command(const run::AttachOptions& options) {
  Run run(options);
  const auto done = run.go();
  if (!done) return report(done.error());
  return int(run.missed() ? Exit::kOverBudget : Exit::kOk);
}

}  // namespace compmond::cli
