// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "suggest/program.h"

namespace compmond::suggest {

struct DraftOperation {
  std::string pattern;                     // that matches it, as a spec has it
  double cpu_share = 0;                    // of all samples on CPU: with it on the stack
  std::optional<double> calls_per_s = {};  // none: nobody counted
  bool rate_at_least = false;  // it was looked at for a part of the time, which slows it
  bool too_hot = false;        // to be seen within the default budget
  bool landmark = false;
  bool may_never_end = false;  // it was on all stacks of its threads: only counting tells
};

struct DraftComponent {
  std::string name;
  std::string image = {};  // file name; empty: the main executable
  std::vector<DraftOperation> operations = {};
  double cpu_share = 0, waiting_share = 0;  // its own, of all
  size_t functions = 0;                     // that belong to it, by their names
};

// A spec that is to be.
struct Draft {
  std::string name;
  std::vector<DraftComponent> components;
  std::map<std::string, std::string> build_ids;  // by file name, of what components are in
  Evidence evidence;                             // `nodes` gone: how much was looked at
  double counted_s = 0;                          // how long calls were; 0: they were not
  double named_share = 0;           // of samples on CPU: with an operation on the stack
  std::vector<std::string> unseen;  // what could not be seen, and why, for people
};

struct DraftLimits {
  size_t components = 12, operations = 5;  // of each of these
};

// Of what the program's names and calls and the samples say.
Draft draft_of(const std::string& name, const Program& program, Evidence evidence,
               const DraftLimits& limits = {});

}  // namespace compmond::suggest
