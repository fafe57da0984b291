// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "code/graph.h"

// Questions about what happened before an instruction, answered over all paths that lead to it.
namespace compmond::code {

// The instructions that may have set general register `reg` last before `vaddr`; nullopt when it
// may still hold what the caller put there, or the search grew too long.
std::optional<std::vector<uint64_t>> definitions(const Graph& graph, int reg, uint64_t vaddr);

// Whether general register `reg` holds before `vaddr`, on every path, what the caller put there.
bool unset_before(const Graph& graph, int reg, uint64_t vaddr);

// The largest value that general register `reg` may hold, as an unsigned number, before `vaddr`, by
// the comparisons and masks on every path; nullopt: not bounded.
std::optional<uint64_t> upper_bound(const Graph& graph, int reg, uint64_t vaddr);

}  // namespace compmond::code
