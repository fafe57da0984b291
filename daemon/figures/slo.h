// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "figures/executions.h"
#include "figures/figures.h"

// Executions that miss their objective: ended with a raw time above it, or open and above it by
// the end of the window.
namespace compmond::figures {

// Those of the window, the newest first: the ones open at its end, then by end. At most `most`, of
// the open ones and the last limits::kViolationsKept of the run. An ended one belongs to the window
// in which it ended.
std::vector<Single> newest_violations(const history::Checkpoint& checkpoint, const Model& model,
                                      Window window, size_t most, const Filter& filter = {});

// How many there were since start; never falls from one checkpoint to the next.
uint64_t violations_so_far(const history::Checkpoint& checkpoint, const Model& model);

// The first that ended; where none has, the open one that is furthest above its objective.
std::optional<Single> first_violation(const history::Checkpoint& checkpoint, const Model& model);

}  // namespace compmond::figures
