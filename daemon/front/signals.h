// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <cstdint>

#include "base/fd.h"

namespace compmond::front {

enum class Wake {
  kTimeout,
  kStop,           // SIGINT, SIGTERM, SIGHUP
  kSnapshot,       // SIGUSR1
  kSaveRecording,  // SIGUSR2
  kToggleProbes,   // SIGRTMIN+1
  kSuspend,        // SIGTSTP
  kArrival,
};

// Turns the signals that mean something to us into values. Blocks them for the whole process, so it
// comes before any thread.
class Signals {
 public:
  Signals();
  // Until a signal comes, one of the others (where valid) is readable, or the time is over.
  Wake wait(uint64_t ns, const Fd& arrivals, const Fd& clients);
  // One of kStop came, and wait() has not told it yet. Any thread.
  bool stop_waits() const;
  // The one that waits, or another of kStop, ends the process, as if nobody had asked for it. On
  // the thread that waits.
  [[noreturn]] void end_now();
  // From now on those of kStop end the process at once; what came before is forgotten. On
  // the thread that waits.
  void let_end();
  // What was blocked before.
  const sigset_t& before() const { return before_; }

 private:
  void end_at_stop();
  sigset_t before_{};
  Fd fd_;
};

}  // namespace compmond::front
