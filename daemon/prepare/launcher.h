// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace compmond::prepare {

// Starts a program and holds it where the dynamic loader has mapped everything and main has not
// begun, so that probes can be placed before its first own instruction. Uses ptrace only until
// release(); afterwards the program runs untouched.
class Launcher {
 public:
  // Exit::kNoInput when the command is not found, Exit::kNoPermission when it may not be executed.
  static Result<Launcher> start(const std::vector<std::string>& command);
  Launcher(Launcher&& other) noexcept : pid_(other.pid_), held_(other.held_) { other.pid_ = 0; }
  ~Launcher();  // a program still held is ended: nobody saw it run; one released goes on

  pid_t pid() const { return pid_; }
  Result<void> release();

  // Whether the program has ended. What it used can be read until it is collected.
  bool has_ended() const;
  // Its wait status then, without waiting.
  std::optional<int> collect();

 private:
  Launcher(pid_t pid) : pid_(pid), held_(true) {}
  pid_t pid_ = 0;
  bool held_ = false;
};

}  // namespace compmond::prepare
