// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "intact/check.h"
#include "plan/states.h"

namespace compmond::intact {

// Looks into these processes once all probes are gone, for at most so long: a sentence for those
// in which the same stayed, and one where not all could be looked at. A debugger that had a
// breakpoint at a probe's place may have put back what it took for the program's own byte.
// `images`: how many the plan has.
std::vector<std::string> leftovers(Check& check, const plan::OperationStates& states, size_t images,
                                   const std::vector<pid_t>& processes, uint64_t within_ns);

}  // namespace compmond::intact
