// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "plan/cost.h"

namespace compmond::inprocess {

// What an observed call costs on this machine, by kind of entry and of exit: measured on functions
// that do nothing, once as they are and once patched, which this process makes for it in memory of
// its own and runs. All that they touch stays in the caches; in a program that needs these itself a
// call costs up to twice as much. Takes some 20 ms, and no right. Exit::kUnavailable: this process
// may run no code that it made, or its C library keeps a thread's number where nobody knows.
Result<plan::Costs> measured_costs();

}  // namespace compmond::inprocess
