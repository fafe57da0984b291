// SPDX-License-Identifier: Apache-2.0
#include "app/signals.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>

namespace compmond::app {

Signals::Signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2}) ::sigaddset(&set, signal);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  // A handler, not SIG_IGN: a command that we start would inherit that.
  struct sigaction pipe {};
  if (::sigaction(SIGPIPE, nullptr, &pipe) == 0 && pipe.sa_handler == SIG_DFL) {
    pipe.sa_handler = [](int) {};
    ::sigaction(SIGPIPE, &pipe, nullptr);
  }
  fd_.reset(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

Wake Signals::wait(double seconds, const Fd& other) {
  pollfd entries[] = {{fd_.get(), POLLIN, 0}, {other.get(), POLLIN, 0}};
  if (::poll(entries, 2, std::max(0, int(seconds * 1000))) <= 0) return Wake::kTimeout;
  signalfd_siginfo info{};
  if (::read(fd_.get(), &info, sizeof info) != ssize_t(sizeof info)) return Wake::kTimeout;
  return info.ssi_signo == SIGUSR1   ? Wake::kSnapshot
         : info.ssi_signo == SIGUSR2 ? Wake::kSaveRecording
                                     : Wake::kStop;
}

}  // namespace compmond::app
