// SPDX-License-Identifier: Apache-2.0
#include "cli/replay_command.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "base/message.h"
#include "front/signals.h"
#include "front/snapshot_output.h"
#include "front/view_server.h"
#include "front/window.h"
#include "guard/rights.h"
#include "present/slo.h"
#include "replay/replay_run.h"
#include "replay/replay_transport.h"
#include "terminal/live.h"

namespace compmond::cli {
namespace {

// Events of other threads may follow so much later in the log than their times say, by far.
constexpr uint64_t kLateNs = 1'000'000'000;
constexpr uint64_t kWakeNs = 20'000'000;  // how soon its end is noticed

// One replay, from opening the log to the summary.
class Replay {
 public:
  explicit Replay(const ReplayOptions& options) : options_(options), live_(STDOUT_FILENO) {}

  Result<void> go() {
    auto output = front::SnapshotOutput::open(options_.snapshot_path);
    if (!output) return Unexpected(std::move(output.error()));
    output_.emplace(std::move(*output));
    auto session = replay::ReplayRun::open(options_.log_path, size_t(options_.history_mib) << 20);
    if (!session) return Unexpected(std::move(session.error()));
    session_ = std::move(*session);
    if (options_.exit_on_slo)
      if (auto any = present::check_objectives(session_->plan()); !any) return any;
    auto window = front::Window::prepare(options_.serve);
    if (!window) return Unexpected(std::move(window.error()));
    if (auto shown = show(*window); !shown) return shown;
    // What is in the log may be anybody's. Threads come after.
    guard::Needs needs;
    needs.probes = false;
    if (auto done = guard::give_up_rights(needs); !done) return done;
    if (server_) server_->announce();
    const bool looked_at = live_.on() || server_;
    const double speed = options_.speed.value_or(looked_at ? 1 : 0);
    transport_.emplace(*session_, last_ns());
    transport_->play(speed, speed > 0 && options_.from_s ? std::optional(moment(*options_.from_s))
                                                         : std::nullopt);
    watch(*window);
    session_->pause();
    return finish();
  }
  // With --exit-on-slo: an objective was missed.
  bool missed() const { return missed_.has_value(); }

 private:
  uint64_t moment(double seconds) const {
    return session_->start_ns() + uint64_t(std::llround(std::max(0.0, seconds) * 1e9));
  }
  // Where --to asks for it, the rest of the log is not read.
  uint64_t last_ns() const {
    return options_.to_s ? std::min(session_->end_ns(), moment(*options_.to_s) + kLateNs)
                         : session_->end_ns();
  }
  std::optional<figures::Window> window() const {
    if (!options_.from_s && !options_.to_s) return std::nullopt;
    const uint64_t from = std::max(session_->begin_ns(), moment(options_.from_s.value_or(0)));
    const uint64_t to =
        std::min(session_->position().time_ns, options_.to_s ? moment(*options_.to_s) : UINT64_MAX);
    return figures::Window{std::min(from, to), to};
  }
  snapshot::Snapshot snapshot() {
    return session_->snapshot(options_.window_s, options_.metric, window());
  }

  // Opens the sockets and the window, where there are to be any.
  Result<void> show(front::Window& window) {
    if (!window.is_planned() && options_.serve.listen.empty() && !options_.serve.keep) return {};
    auto server = front::ViewServer::open(options_.serve, viewed());
    if (!server) return Unexpected(std::move(server.error()));
    server_ = std::move(*server);
    if (auto opened = window.open(*server_); !opened) {
      if (options_.serve.ui) return opened;
      report(opened.error());
    }
    return {};
  }

  front::Viewed viewed() {
    return {
        [this] { return session_->spec_name(); },
        [this](const snapshot::ViewRequest& request) { return session_->view(request); },
        [this]() -> Result<std::string> {
          if (auto written = output_->write(snapshot()); !written)
            return Unexpected(std::move(written.error()));
          return "written to " + options_.snapshot_path;
        },
        []() -> Result<std::string> {
          return fail(Exit::kData, "cannot save a recording", "this is a replay of one");
        },
        [this](const snapshot::ControlRequest& request) { return transport_->control(request); }};
  }

  // Until a signal, the window's end, a client's wish, a missed objective where that is asked for
  // or, where nobody stays to look, the log's end.
  void watch(front::Window& window) {
    const auto refresh = uint64_t(options_.refresh_s * 1e9);
    uint64_t next_refresh = monotonic_ns() + refresh;
    for (;;) {
      const uint64_t now = monotonic_ns();
      transport_->service();
      if (options_.exit_on_slo && session_->missed_objective(false)) return;
      uint64_t due = now + kWakeNs;
      if (server_) {
        if (server_->stop_asked()) return;
        if (window.look(*server_, now) == front::Window::Event::kClosed && !options_.serve.keep)
          return;
        due = std::min(due, server_->step(now));
      }
      if (transport_->done() && !window.is_open() && !options_.serve.keep) return;
      if (live_.on() && !window.is_open() && now >= next_refresh) {
        live_.show(snapshot());
        next_refresh = now + refresh;
      }
      const uint64_t then = monotonic_ns();
      const front::Wake wake =
          signals_.wait(due > then ? due - then : 0, nothing_, server_ ? server_->fd() : nothing_);
      if (wake == front::Wake::kStop) return;
      if (wake == front::Wake::kSnapshot)
        if (auto written = output_->write(snapshot()); !written) report(written.error());
    }
  }

  Result<void> finish() {
    if (options_.exit_on_slo) missed_ = session_->missed_objective(true);
    const snapshot::Snapshot last = snapshot();
    live_.clear();
    const auto shown = output_->show_summary(last);
    if (missed_) say("an objective was missed: " + *missed_);
    for (const recording::Damage& damage : session_->damage())
      say("the log is damaged: " + to_text(damage, session_->start_ns()));
    if (!options_.snapshot_path.empty())
      if (auto written = output_->write(last); !written) return written;
    return shown;
  }

  const ReplayOptions& options_;
  front::Signals signals_;
  terminal::Live live_;
  std::optional<front::SnapshotOutput> output_;
  std::unique_ptr<replay::ReplayRun> session_;
  std::optional<std::string> missed_;                 // objective, in words
  std::optional<replay::ReplayTransport> transport_;  // once it plays
  std::unique_ptr<front::ViewServer> server_;         // after what it shows; none: nobody may look
  const Fd nothing_;
};

}  // namespace

int replay_command(const ReplayOptions& options) {
  Replay replay(options);
  const auto done = replay.go();
  if (!done) return report(done.error());
  return int(replay.missed() ? Exit::kOverBudget : Exit::kOk);
}

}  // namespace compmond::cli
