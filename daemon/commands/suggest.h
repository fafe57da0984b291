// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "prepare/options.h"

namespace compmond::commands {

struct SuggestOptions {
  prepare::TargetOptions target;  // pids, or a program's file
  std::string output;             // empty or "-": stdout
  double seconds = 10;            // that samples are taken for, and calls counted for after that
  bool look = true;               // at running processes; else only names and code are read
  bool interactive = false;       // a person on the terminal changes the draft before it is written
};

// Drafts a spec and writes it. Returns the program's exit code; Exit::kData where no function has a
// name.
int suggest_command(const SuggestOptions& options);

}  // namespace compmond::commands
