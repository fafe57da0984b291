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
#include "app/session.h"
#include "app/view_server.h"
#include "app/window.h"
#include "base/clock.h"
#include "guard/file_writer.h"
#include "guard/rights.h"
#include "headless/live.h"
#include "headless/table.h"

namespace compmond::app {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kServiceNs = kSecond / 10;  // how soon the end of the targets is noticed

enum class Wake { kTimeout, kStop, kSnapshot, kArrival };

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
  // Until a signal comes, one of the others is readable, or the time is over.
  Wake wait(uint64_t ns, const Fd& arrivals, const Fd& clients) {
    pollfd entries[] = {
        {fd_.get(), POLLIN, 0}, {arrivals.get(), POLLIN, 0}, {clients.get(), POLLIN, 0}};
    const timespec time{time_t(ns / kSecond), long(ns % kSecond)};
    if (::ppoll(entries, 3, &time, nullptr) <= 0) return Wake::kTimeout;
    signalfd_siginfo info{};
    if (::read(fd_.get(), &info, sizeof info) != ssize_t(sizeof info))
      return entries[1].revents != 0 ? Wake::kArrival : Wake::kTimeout;
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
    auto window = Window::prepare(options.serve);
    if (!window) return Unexpected(window.error());
    auto server = ViewServer::open(options.serve, viewed());
    if (!server) return Unexpected(server.error());
    server_ = std::move(*server);
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
    server_->announce();
    if (auto opened = window->open(*server_); !opened) {
      if (options.serve.ui) return opened;
      report(opened.error());
    }
    watch(launched, *window);
    session_->stop();
    return finish();
  }

 private:
  Viewed viewed() {
    return {[this] { return session_->spec_name(); },
            [this](const snapshot::ViewRequest& request) { return session_->view(request); },
            [this]() -> Result<std::string> {
              if (auto written = write_snapshot(snapshot()); !written)
                return Unexpected(written.error());
              return "written to " + options_.snapshot_path;
            }};
  }

  snapshot::Snapshot snapshot() { return session_->snapshot(options_.window_s, options_.metric); }

  // Until a signal, the duration's end, the window's, a client's wish, or the targets' end. What
  // the targets left stays to be looked at as long as the window is open.
  void watch(std::optional<Launcher>& launched, Window& window) {
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
        if (window.look(*server_, now) == Window::Event::kClosed && !options_.serve.keep) break;
        if (!recording && !window.is_open()) break;
        next_service = now + kServiceNs;
      }
      if (live_.on() && !window.is_open() && now >= next_refresh) {
        live_.show(snapshot());
        next_refresh = now + refresh;
      }
      const uint64_t due = std::min({server_->step(now), next_service, end});
      const uint64_t then = monotonic_ns();
      const Wake wake = signals_.wait(due > then ? due - then : 0,
                                      recording ? session_->wake_fd() : nothing_, server_->fd());
      if (wake == Wake::kStop) break;
      if (wake == Wake::kArrival) next_service = 0;
      if (wake == Wake::kSnapshot)
        if (const auto written = write_snapshot(snapshot()); !written)
          report(written.error());  // the run goes on
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
    if (options_.snapshot_path.empty())
      return fail(Exit::kUsage, "no snapshot was written", "no file was named for it",
                  "Start with --snapshot FILE.");
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
  std::unique_ptr<ViewServer> server_;  // after session_, which it shows
  std::string end_of_command_;
  const Fd nothing_;
};

}  // namespace

int attach_command(const AttachOptions& options) {
  Run run(options);
  const auto done = run.go();
  return done ? int(Exit::kOk) : report(done.error());
}

}  // namespace compmond::app
