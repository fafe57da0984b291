// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "prepare/entry_stop.h"

namespace compmond::prepare {

// Starts a program and holds it where the dynamic loader has mapped everything and main has not
// begun, so that probes can be placed before its first own instruction. Uses ptrace only until
// release(); afterwards the program runs untouched. What constructors of its libraries do until
// then is theirs: signals and traps reach it, children are let go, and where it becomes another
// program that one is held.
class Launcher {
 public:
  // Exit::kNoInput when the command is not found, Exit::kNoPermission when it may not be executed
  // or held; guard::StopWatch::wish() where we are to end before it could be. `way`: tried first;
  // `blocked`: the signals that it begins with blocked.
  static Result<Launcher> start(const std::vector<std::string>& command,
                                EntryStop::Way way = EntryStop::Way::kRegister,
                                const sigset_t& blocked = {});
  Launcher(Launcher&& other) noexcept
      : pid_(other.pid_), held_(other.held_), early_end_(other.early_end_) {
    other.pid_ = 0;
  }
  ~Launcher();  // a program still held is ended: nobody saw it run; one released goes on

  pid_t pid() const { return pid_; }
  // Its wait status where it ended before it could be held; there is no process then.
  std::optional<int> early_end() const { return early_end_; }
  // While it is held: lets others trace it, stopped as by SIGSTOP; and holds it as before.
  Result<void> let_others_trace();
  Result<void> hold_again();
  Result<void> release();

  // Whether the program has ended. What it used can be read until it is collected.
  bool has_ended() const;
  // Its wait status then, without waiting.
  std::optional<int> collect();

 private:
  Launcher(pid_t pid) : pid_(pid), held_(true) {}
  Result<void> hold(EntryStop stop, const char* what);
  pid_t pid_ = 0;
  bool held_ = false;
  std::optional<int> early_end_;
};

}  // namespace compmond::prepare
