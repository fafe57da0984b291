// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "check/shown.h"
#include "inprocess/tally.h"

namespace compmond::check {

// What the engine that patches functions would do, beside what sees the same calls otherwise. Their
// operations are the same, in the same order.
struct Patching {
  // `both`: a plan by that engine and others. `costs` are those of that engine.
  Patching(const spec::Spec& spec, const plan::Plan& both, const std::string& engine,
           plan::Costs costs, plan::Costs others);

  Shown own, beside;
};

inprocess::Tally tally_of(const Shown& own);

// All that is shown of it, for people: each operation, what all come to, what that costs, and what
// to do.
std::string to_text(const Patching& patching);

}  // namespace compmond::check
