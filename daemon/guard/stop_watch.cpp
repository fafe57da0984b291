// SPDX-License-Identifier: Apache-2.0
#include "guard/stop_watch.h"

#include <fmt/format.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>

namespace compmond::guard {
namespace {

constexpr int kStops[] = {SIGINT, SIGTERM, SIGHUP};
constexpr int kSignalled = 128;  // what shells add to the signal that ended a program

}  // namespace

StopWatch::StopWatch() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : kStops) ::sigaddset(&set, signal);
  fd_.reset(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

std::optional<Error> StopWatch::wish() {
  sigset_t pending;
  if (::sigpending(&pending) != 0) return std::nullopt;
  for (const int signal : kStops)
    if (::sigismember(&pending, signal) == 1)
      return Error{Exit(kSignalled + signal), "stopped before anything was observed",
                   fmt::format("SIG{} came", ::sigabbrev_np(signal)), ""};
  return std::nullopt;
}

}  // namespace compmond::guard
