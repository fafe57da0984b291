// SPDX-License-Identifier: Apache-2.0
#include "front/front.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <future>
#include <utility>

#include "base/clock.h"
#include "base/out.h"
#include "base/safe_file.h"
#include "core/message.h"

namespace compmond::front {
namespace {

constexpr size_t kSnapshotBytes = size_t(256) << 20;
constexpr uint64_t kPatienceNs = 5'000'000'000;  // with who takes a snapshot, once the run is over

Result<std::optional<snapshot::Snapshot>> baseline(const std::string& path) {
  if (path.empty()) return std::optional<snapshot::Snapshot>();
  const auto text = read_file(path, kSnapshotBytes);
  if (!text) return Unexpected(text.error());
  auto out = snapshot::from_json(*text);
  if (out) return std::optional(std::move(*out));
  out.error().what = "--baseline " + path + ": " + out.error().what;
  return Unexpected(std::move(out.error()));
}

// Errors of what the run goes on without.
template <class T>
void report_error(const Result<T>& done) {
  if (!done) report(done.error());
}

}  // namespace

Front::Front(const Options& options, SnapshotOutput output, InsideOutput inside, Screen screen)
    : options_(options),
      live_(STDOUT_FILENO),
      output_(std::move(output)),
      inside_(std::move(inside)),
      screen_(std::move(screen)) {}

Result<std::unique_ptr<Front>> Front::open(const Options& options) {
  auto output = SnapshotOutput::open(options.snapshot_path);
  if (!output) return Unexpected(std::move(output.error()));
  auto inside = InsideOutput::open(options.inside);
  if (!inside) return Unexpected(std::move(inside.error()));
  auto saved = baseline(options.baseline_path);
  if (!saved) return Unexpected(std::move(saved.error()));
  auto screen = Screen::prepare(options.serve);
  if (!screen) return Unexpected(std::move(screen.error()));
  std::unique_ptr<Front> out(
      new Front(options, std::move(*output), std::move(*inside), std::move(*screen)));
  out->baseline_ = std::move(*saved);
  if (const int err = out->live_.failure(); err != 0)
    say(
        fmt::format("there is no live table, as the terminal cannot be opened once more ({}); the "
                    "summary stands there in the end",
                    ::strerror(err)));
  const bool serves = options.always_serve || out->screen_.is_planned() ||
                      !options.serve.listen.empty() || options.serve.keep;
  if (!serves) return out;
  auto server = ViewServer::open(options.serve);
  if (!server) return Unexpected(std::move(server.error()));
  out->server_ = std::move(*server);
  return out;
}

Result<void> Front::show(Run& run) {
  run_ = &run;
  if (baseline_) run.compare_with(*baseline_);
  if (auto asked = inside_.ask(run); !asked) return asked;
  if (!server_) return {};
  server_->show(run, [this] { return write_snapshot(); });
  auto opened = screen_.open(*server_);
  if (options_.serve.ui) return opened;
  report_error(opened);
  return {};
}

Result<void> Front::drive() {
  if (server_) server_->announce();
  const std::string why = watch();
  run_->stop();
  if (server_) server_->part("compmond has ended: " + why);
  return finish();
}

std::string Front::watch() {
  const uint64_t begin = monotonic_ns();
  const uint64_t end =
      options_.duration_s > 0 ? begin + uint64_t(options_.duration_s * 1e9) : UINT64_MAX;
  const auto refresh = uint64_t(options_.refresh_s * 1e9);
  uint64_t next_refresh = begin + refresh;  // nothing is there to be seen before
  uint64_t next_service = 0;
  for (;;) {
    const uint64_t now = monotonic_ns();
    if (now >= end) return fmt::format("--duration {:g} is over", options_.duration_s);
    if (server_ && server_->stop_asked()) return "somebody ended it in a window";
    if (now >= next_service) {
      run_->service();
      if (auto why = over(now)) return *std::move(why);
      next_service = now + run_->service_ns();
    }
    const bool draws = live_.on() && !screen_.is_open();
    if (draws && now >= next_refresh) {
      live_.show(look());
      next_refresh = now + refresh;
    }
    uint64_t due = std::min(next_service, end);
    if (draws) due = std::min(due, next_refresh);
    if (server_) due = std::min(due, server_->step(now));
    const uint64_t then = monotonic_ns();
    const Wake wake = signals_.wait(due > then ? due - then : 0, run_->wake_fd(),
                                    server_ ? server_->fd() : nothing_);
    if (wake == Wake::kStop) return "it was told to, by a signal (Ctrl-C, kill)";
    if (wake == Wake::kArrival) next_service = 0;
    obey(wake);
  }
}

std::optional<std::string> Front::over(uint64_t now_ns) {
  if (const auto& missed = run_->missed_objective()) return "an objective was missed: " + *missed;
  const bool closed = server_ && screen_.look(*server_, now_ns) == Screen::Event::kClosed;
  if (closed && !options_.serve.keep) return "its own window was closed";
  const bool stays = screen_.is_open() || (options_.stay_with_keep && options_.serve.keep);
  if (!run_->ended() || stays) return {};
  return run_->is_replay() ? "the replay is at its end" : "the observed program has ended";
}

void Front::obey(Wake wake) {
  if (wake == Wake::kSnapshot) report_error(write_snapshot());
  if (wake == Wake::kSuspend) suspend();
  if (wake == Wake::kToggleProbes) toggle_probes();
  if (wake != Wake::kSaveRecording || run_->is_replay()) return;
  const auto saved = run_->save_recording();
  if (saved) say(*saved);
  report_error(saved);
}

void Front::toggle_probes() {
  const auto done = run_->toggle_probes();
  if (!done) return;
  if (*done) say(**done);
  report_error(*done);
}

// Stopped, it would leave the probes to slow the program without anyone who takes them away.
void Front::suspend() {
  if (run_->may_be_suspended())
    ::raise(SIGSTOP);
  else
    say("it goes on, as does the program that probes may be in; Ctrl-C ends it");
}

// The run as it is now, processes and all.
snapshot::Snapshot Front::look() {
  run_->service();
  return run_->snapshot(options_.window_s, options_.metric, options_.heat);
}

Result<std::string> Front::write_snapshot() {
  const auto written = write(look(), [this] {
    run_->service();
    if (signals_.stop_waits()) give_up_if_it_lasts();
  });
  if (!written) return Unexpected(written.error());
  return "written to " + options_.snapshot_path;
}

// By a thread of its own: a disk or a reader may take its time, or forever. `meanwhile` is called
// many times a second until it is done.
Result<void> Front::write(const snapshot::Snapshot& snapshot,
                          const std::function<void()>& meanwhile) {
  constexpr auto kEvery = std::chrono::milliseconds(20);
  // Deferred where there is no room for a thread.
  auto writing = std::async(std::launch::async | std::launch::deferred,
                            [&] { return output_.write(snapshot); });
  while (writing.wait_for(kEvery) == std::future_status::timeout) meanwhile();
  return writing.get();
}

// Somebody wants the end while a snapshot is being written: the run ends, and what is not written
// soon afterwards is left behind.
void Front::give_up_if_it_lasts() {
  if (!stopped_to_end_ns_) {
    run_->stop();
    stopped_to_end_ns_ = monotonic_ns();
  }
  if (monotonic_ns() - *stopped_to_end_ns_ < kPatienceNs) return;
  report(fail(Exit::kCantCreate, fmt::format("cannot write '{}'", options_.snapshot_path),
              fmt::format("the snapshot was not taken within {} s after the signal to end; the "
                          "probes are gone, and there is no summary",
                          kPatienceNs / 1'000'000'000),
              "See whether its disk hangs, or who reads it has stopped to.")
             .value());
  signals_.end_now();
}

Result<void> Front::finish() {
  const snapshot::Snapshot last = run_->snapshot(options_.window_s, options_.metric, options_.heat);
  const uint64_t until = monotonic_ns() + kPatienceNs;
  const bool to_stdout = is_stdout(options_.snapshot_path);
  if (to_stdout) signals_.let_end();  // whoever reads it may never do so
  Result<void> written;
  if (!options_.snapshot_path.empty())
    written = write(last, [&] {
      if (monotonic_ns() >= until) signals_.let_end();
    });
  signals_.let_end();
  live_.clear();
  auto shown = output_.show_summary(last);
  if (shown) shown = inside_.show(*run_, last, output_.summary_stream());
  if (const auto& missed = run_->missed_objective()) say("an objective was missed: " + *missed);
  for (const std::string& line : run_->last_words()) say(line);
  return written ? std::move(shown) : std::move(written);
}

}  // namespace compmond::front
