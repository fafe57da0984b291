// SPDX-License-Identifier: Apache-2.0
#include "app/replay_command.h"

#include <unistd.h>

#include <algorithm>

#include "app/message.h"
#include "app/output.h"
#include "app/replay_session.h"
#include "app/signals.h"
#include "base/clock.h"
#include "guard/rights.h"
#include "headless/live.h"

namespace compmond::app {
namespace {

// Events of other threads may follow so much later in the log than their times say, by far.
constexpr uint64_t kLateNs = 1'000'000'000;
constexpr uint64_t kWakeNs = 20'000'000;  // how soon its end is noticed

// One replay, from opening the log to the summary.
class Replay {
 public:
  explicit Replay(const ReplayOptions& options) : options_(options), live_(STDOUT_FILENO) {}

  Result<void> go() {
    auto output = SnapshotOutput::open(options_.snapshot_path);
    if (!output) return Unexpected(std::move(output.error()));
    output_.emplace(std::move(*output));
    auto session = ReplaySession::open(options_.log_path, size_t(options_.history_mib) << 20);
    if (!session) return Unexpected(std::move(session.error()));
    session_ = std::move(*session);
    // What is in the log may be anybody's.
    guard::Needs needs;
    needs.probes = false;
    if (auto done = guard::give_up_rights(needs); !done) return done;
    const double speed = options_.speed.value_or(live_.on() ? 1 : 0);
    if (speed > 0 && options_.from_s) session_->seek(moment(*options_.from_s));
    session_->play(speed);
    watch();
    session_->pause();
    return finish();
  }

 private:
  uint64_t moment(double seconds) const {
    return session_->start_ns() + uint64_t(std::max(0.0, seconds) * 1e9);
  }
  // Where --to asks for it, the rest of the log is not read.
  uint64_t last_ns() const {
    return options_.to_s ? std::min(session_->end_ns(), moment(*options_.to_s) + kLateNs)
                         : session_->end_ns();
  }
  std::optional<analysis::Window> window() const {
    if (!options_.from_s && !options_.to_s) return std::nullopt;
    const uint64_t from = std::max(session_->begin_ns(), moment(options_.from_s.value_or(0)));
    const uint64_t to =
        std::min(session_->position().time_ns, options_.to_s ? moment(*options_.to_s) : UINT64_MAX);
    return analysis::Window{std::min(from, to), to};
  }
  snapshot::Snapshot snapshot() {
    return session_->snapshot(options_.window_s, options_.metric, window());
  }

  // Until a signal or the end.
  void watch() {
    uint64_t next_refresh = monotonic_ns() + uint64_t(options_.refresh_s * 1e9);
    while (session_->position().time_ns < last_ns() && !session_->wait(0)) {
      const uint64_t now = monotonic_ns();
      if (live_.on() && now >= next_refresh) {
        live_.show(snapshot());
        next_refresh = now + uint64_t(options_.refresh_s * 1e9);
      }
      const Wake wake = signals_.wait(kWakeNs, nothing_, nothing_);
      if (wake == Wake::kStop) return;
      if (wake == Wake::kSnapshot)
        if (auto written = output_->write(snapshot()); !written) report(written.error());
    }
  }

  Result<void> finish() {
    const snapshot::Snapshot last = snapshot();
    live_.clear();
    const auto shown = output_->show_summary(last);
    for (const log::Damage& damage : session_->damage())
      say("the log is damaged: " + to_text(damage, session_->start_ns()));
    if (!options_.snapshot_path.empty())
      if (auto written = output_->write(last); !written) return written;
    return shown;
  }

  const ReplayOptions& options_;
  Signals signals_;
  headless::Live live_;
  std::optional<SnapshotOutput> output_;
  std::unique_ptr<ReplaySession> session_;
  const Fd nothing_;
};

}  // namespace

int replay_command(const ReplayOptions& options) {
  Replay replay(options);
  const auto done = replay.go();
  return done ? int(Exit::kOk) : report(done.error());
}

}  // namespace compmond::app
