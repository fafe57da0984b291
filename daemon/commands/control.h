// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace compmond::commands {

struct ControlOptions {
  std::string run;     // compmond's process id, or an address as of compmond-ui --connect
  std::string action;  // one of snapshot::Action
  std::string what;    // a component, an operation, a pattern; or a number; empty: none
  std::string token;   // empty: none
};

// Asks a running compmond to do something, and prints what it did. Returns the exit code: 66 where
// none runs there, 77 where this user may not, 65 where it refuses.
int control_command(const ControlOptions& options);

}  // namespace compmond::commands
