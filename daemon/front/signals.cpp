// SPDX-License-Identifier: Apache-2.0
#include "front/signals.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <initializer_list>

namespace compmond::front {

namespace {

constexpr int kStopping[] = {SIGINT, SIGTERM, SIGHUP};

sigset_t set_of(std::initializer_list<int> signals) {
  sigset_t out;
  ::sigemptyset(&out);
  for (const int signal : signals) ::sigaddset(&out, signal);
  return out;
}

}  // namespace

Signals::Signals() {
  const sigset_t set = set_of({SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGTSTP, SIGRTMIN + 1});
  const sigset_t also = set_of({SIGTTOU});  // writing from the background must not stop us
  ::sigprocmask(SIG_BLOCK, &set, &before_);
  ::sigprocmask(SIG_BLOCK, &also, nullptr);
  // What is written then fails, with a reason. A handler, not SIG_IGN: a command that we start
  // would inherit that.
  for (const int signal : {SIGPIPE, SIGXFSZ}) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) continue;
    action.sa_handler = [](int) {};
    ::sigaction(signal, &action, nullptr);
  }
  fd_.reset(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

Wake Signals::wait(uint64_t ns, const Fd& arrivals, const Fd& clients) {
  constexpr uint64_t kSecond = 1'000'000'000;
  pollfd entries[] = {
      {fd_.get(), POLLIN, 0}, {arrivals.get(), POLLIN, 0}, {clients.get(), POLLIN, 0}};
  const timespec time{time_t(ns / kSecond), long(ns % kSecond)};
  if (::ppoll(entries, 3, &time, nullptr) <= 0) return Wake::kTimeout;
  signalfd_siginfo info{};
  if (::read(fd_.get(), &info, sizeof info) != ssize_t(sizeof info))
    return entries[1].revents != 0 ? Wake::kArrival : Wake::kTimeout;
  if (int(info.ssi_signo) == SIGRTMIN + 1) return Wake::kToggleProbes;
  return info.ssi_signo == SIGUSR1   ? Wake::kSnapshot
         : info.ssi_signo == SIGUSR2 ? Wake::kSaveRecording
         : info.ssi_signo == SIGTSTP ? Wake::kSuspend
                                     : Wake::kStop;
}

bool Signals::stop_waits() const {
  sigset_t waiting;
  ::sigpending(&waiting);
  return std::ranges::any_of(kStopping, [&](int one) { return ::sigismember(&waiting, one) == 1; });
}

void Signals::end_now() {
  end_at_stop();
  ::raise(SIGTERM);  // where none waits any more
  ::_exit(128 + SIGTERM);
}

void Signals::let_end() {
  const sigset_t stop = set_of({SIGINT, SIGTERM, SIGHUP});
  const timespec at_once{};
  while (::sigtimedwait(&stop, nullptr, &at_once) > 0) {
  }
  end_at_stop();
}

void Signals::end_at_stop() {
  // A shell that begins us in the background has them ignored.
  for (const int signal : kStopping) ::signal(signal, SIG_DFL);
  const sigset_t stop = set_of({SIGINT, SIGTERM, SIGHUP});
  ::sigprocmask(SIG_UNBLOCK, &stop, nullptr);
}

}  // namespace compmond::front
