// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "guard/channel.h"
#include "patient/patient.h"
#include "rings/layout.h"
#include "surgeon/protocol.h"

namespace compmond::inprocess {

// Who patches processes, also after compmond gave up the right to: a process of its own, which
// reads no foreign file, and talks to nobody else. Where this object goes, or compmond is killed,
// it puts everything back, and ends. Any thread.
class Surgeon {
 public:
  // Before rights are given up, and before any thread. Exit::kUnavailable.
  static Result<std::unique_ptr<Surgeon>> start();

  // As of Patient; of a process that was not asked for before, or executed another program since,
  // it begins anew. No file: a fork of one that was, which has all that that one has.
  struct Opened {
    Fd file;
    SharedLayout layout;
  };
  Result<Opened> open(pid_t pid);
  struct Patched {
    std::vector<Patient::Refusal> refused;
    std::vector<sampling::MovedCode> moved;  // what the process executes of ours by now
    bool changed = true;                     // else all of it was there before
  };
  Result<Patched> patch(pid_t pid, std::span<const Patient::Function> functions);
  Result<void> put_back(pid_t pid, std::span<const uint32_t> functions);
  // Whether it is there: else all that is patched stays so.
  bool lives() const;
  // All of it, as of Patient; to be opened anew.
  void leave(pid_t pid);
  // Puts everything back, as long as that takes, up to some seconds: where it could not, and why.
  std::vector<Left> close();

 private:
  explicit Surgeon(guard::Child child) : child_(std::move(child)) {}

  guard::Child child_;
  std::mutex mutex_;
};

}  // namespace compmond::inprocess
