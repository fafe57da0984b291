// SPDX-License-Identifier: Apache-2.0
#include "app/attach_command.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "app/launcher.h"
#include "app/message.h"
#include "app/prepare.h"
#include "base/clock.h"
#include "guard/file_writer.h"
#include "guard/rights.h"
#include "headless/live.h"
#include "headless/table.h"

namespace compmond::app {
namespace {

constexpr double kServiceSeconds = 0.1;  // how soon the end of the targets is noticed

enum class Wake { kTimeout, kStop, kSnapshot };

// Turns the signals that mean something to us into values. Blocks them for the whole process, so it
// comes before any thread.
class Signals {
 public:
  Signals() {
    sigset_t set;
    ::sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) ::sigaddset(&set, signal);
    ::sigprocmask(SIG_BLOCK, &set, nullptr);
    // A handler, not SIG_IGN: a command that we start would inherit that.
    struct sigaction pipe {};
    if (::sigaction(SIGPIPE, nullptr, &pipe) == 0 && pipe.sa_handler == SIG_DFL) {
      pipe.sa_handler = [](int) {};
      ::sigaction(SIGPIPE, &pipe, nullptr);
    }
    fd_.reset(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  // Until a signal comes, `other` is readable, or the time is over.
  Wake wait(double seconds, const Fd& other) {
    pollfd entries[] = {{fd_.get(), POLLIN, 0}, {other.get(), POLLIN, 0}};
    if (::poll(entries, 2, std::max(0, int(seconds * 1000))) <= 0) return Wake::kTimeout;
    signalfd_siginfo info{};
    if (::read(fd_.get(), &info, sizeof info) != ssize_t(sizeof info)) return Wake::kTimeout;
    return info.ssi_signo == SIGUSR1 ? Wake::kSnapshot : Wake::kStop;
  }

 private:
  Fd fd_;
};

// One run, from the first message to the summary.
class Run {
 public:
  explicit Run(const AttachOptions& options) : options_(options), live_(STDOUT_FILENO) {}

  Result<void> go() {
    AttachOptions options = options_;
    if (!options.snapshot_path.empty() && options.snapshot_path != "-") {
      auto writer = guard::FileWriter::start(options.snapshot_path);
      if (!writer) return Unexpected(writer.error());
      writer_.emplace(std::move(*writer));
    }
    std::optional<Launcher> launched;
    if (!options.target.command.empty()) {
      auto started = Launcher::start(options.target.command);
      if (!started) return Unexpected(started.error());
      launched.emplace(std::move(*started));
      options.target.pids = {launched->pid()};
    }
    auto parts = prepare_session(options.target, options.planning);
    if (!parts) return Unexpected(parts.error());
    auto session = Session::attach(std::move(*parts), options);
    if (!session) return Unexpected(session.error());
    session_ = std::move(*session);
    // From here on nothing is opened, run or looked at that takes rights; threads come after.
    if (auto done = guard::give_up_rights(session_->needs()); !done) return done;
    session_->record();
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
      if (wake == Wake::kSnapshot) {
        const auto written = write_snapshot(session_->snapshot(options_.window_s, options_.metric));
        if (!written) report(written.error());  // the run goes on
      }
    }
    if (launched)
      if (const auto status = launched->ended()) end_of_command_ = status_text(*status);
  }

  Result<void> write_snapshot(const snapshot::Snapshot& snapshot) {
    const std::string json = snapshot::to_json(snapshot) + "\n";
    if (options_.snapshot_path == "-") {
      if (std::fwrite(json.data(), 1, json.size(), stdout) != json.size() ||
          std::fflush(stdout) != 0)
        return fail_errno(Exit::kCantCreate, "cannot write the snapshot to stdout", errno);
      return {};
    }
    if (options_.snapshot_path.empty()) {
      say("SIGUSR1: no snapshot file was named; start with --snapshot FILE");
      return {};
    }
    return writer_->write(json);
  }

  Result<void> finish() {
    const snapshot::Snapshot last = session_->snapshot(options_.window_s, options_.metric);
    live_.clear();
    // Data on stdout: where that is the snapshot, the summary goes to the messages.
    const bool json_on_stdout = options_.snapshot_path == "-";
    const int fd = json_on_stdout ? STDERR_FILENO : STDOUT_FILENO;
    const std::string summary = headless::summary(last, headless::style_of(fd));
    std::fwrite(summary.data(), 1, summary.size(), json_on_stdout ? stderr : stdout);
    const auto shown = json_on_stdout ? Result<void>() : finish_stdout();
    if (!end_of_command_.empty())
      say(fmt::format("'{}' {}", options_.target.command.front(), end_of_command_));
    if (!options_.snapshot_path.empty())
      if (auto written = write_snapshot(last); !written) return written;
    return shown;
  }

  const AttachOptions& options_;
  Signals signals_;
  headless::Live live_;
  std::optional<guard::FileWriter> writer_;  // of snapshots, where they go to a file
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
