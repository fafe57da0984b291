// SPDX-License-Identifier: Apache-2.0
#include "app/attach_command.h"

#include <unistd.h>

#include <algorithm>

#include "app/launcher.h"
#include "app/message.h"
#include "app/output.h"
#include "app/prepare.h"
#include "app/signals.h"
#include "base/clock.h"
#include "headless/live.h"

namespace compmond::app {
namespace {

constexpr double kServiceSeconds = 0.1;  // how soon the end of the targets is noticed

// One run, from the first message to the summary.
class Run {
 public:
  explicit Run(const AttachOptions& options) : options_(options), live_(STDOUT_FILENO) {}

  Result<void> go() {
    AttachOptions options = options_;
    std::optional<Launcher> launched;
    if (!options.target.command.empty()) {
      auto started = Launcher::start(options.target.command);
      if (!started) return Unexpected(started.error());
      launched.emplace(std::move(*started));
      options.target.pids = {launched->pid()};
    }
    auto parts = prepare_session(options.target, options.planning);
    if (!parts) return Unexpected(parts.error());
    auto session = Session::start(std::move(*parts), options);
    if (!session) return Unexpected(session.error());
    session_ = std::move(*session);
    if (launched)
      if (auto released = launched->release(); !released) return released;
    say("ready");
    watch(launched);
    session_->stop();
    return finish();
  }

 private:
  // Until a signal, the duration's end, or the targets' end.
  void watch(std::optional<Launcher>& launched) {
    const uint64_t begin = monotonic_ns();
    uint64_t next_refresh =
        begin + uint64_t(options_.refresh_s * 1e9);  // nothing is there to be seen before
    for (;;) {
      const uint64_t now = monotonic_ns();
      if (options_.duration_s > 0 && double(now - begin) >= options_.duration_s * 1e9) break;
      if (launched)
        if (const auto status = launched->ended()) end_of_command_ = status_text(*status);
      session_->service();
      if (!session_->targets_alive()) break;
      if (live_.on() && now >= next_refresh) {
        live_.show(session_->snapshot(options_.window_s, options_.metric));
        next_refresh = now + uint64_t(options_.refresh_s * 1e9);
      }
      double wait = kServiceSeconds;
      if (options_.duration_s > 0)
        wait = std::min(wait, options_.duration_s - double(monotonic_ns() - begin) / 1e9 + 0.001);
      const Wake wake = signals_.wait(wait, session_->wake_fd());
      if (wake == Wake::kStop) break;
      if (wake == Wake::kSnapshot) snapshot_on_signal();
      if (wake == Wake::kSaveRecording) recording_on_signal();
    }
    if (launched)
      if (const auto status = launched->ended()) end_of_command_ = status_text(*status);
  }

  void snapshot_on_signal() {
    if (options_.snapshot_path.empty())
      return say("SIGUSR1: no snapshot file was named; start with --snapshot FILE");
    const auto written = write_snapshot(session_->snapshot(options_.window_s, options_.metric),
                                        options_.snapshot_path);
    if (!written) report(written.error());  // the run goes on
  }

  void recording_on_signal() {
    if (const auto saved = session_->save_recording(); !saved)
      report(saved.error());
    else
      say(fmt::format("the last {:g} s are in '{}'", options_.record_last_s, options_.record_path));
  }

  Result<void> finish() {
    const snapshot::Snapshot last = session_->snapshot(options_.window_s, options_.metric);
    live_.clear();
    const auto shown = show_summary(last, options_.snapshot_path == "-");
    if (!end_of_command_.empty())
      say(fmt::format("'{}' {}", options_.target.command.front(), end_of_command_));
    if (!options_.snapshot_path.empty())
      if (auto written = write_snapshot(last, options_.snapshot_path); !written) return written;
    return shown;
  }

  const AttachOptions& options_;
  Signals signals_;
  headless::Live live_;
  std::unique_ptr<Session> session_;
  std::string end_of_command_;
};

}  // namespace

int attach_command(const AttachOptions& options) {
  Run run(options);
  const auto done = run.go();
  return done ? int(Exit::kOk) : report(done.error());
}

}  // namespace compmond::app
