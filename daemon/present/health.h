// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "figures/figures.h"
#include "present/run_parts.h"
#include "snapshot/snapshot.h"

namespace compmond::present {

// How the run's figures came about, but for what is told of its window below and in estimated.h.
void add_health(const RunParts& run, snapshot::Health& out);

// Tells what observing cost the targets, as a share of their CPU time: of the whole run, or, of
// `cpu_ns`, what the calls of `result` did. Where costs say that it was more than all of it they
// are wrong: then it is 100 %, a note says what else is wrong with them, and the times of `out`,
// whose figures are there, of which something was taken out are uncertain.
void add_overhead(const RunParts& run, const figures::Model& model, const figures::Result& result,
                  std::optional<uint64_t> cpu_ns, snapshot::Snapshot& out);

// Says whether samples agree with what the probes are charged with, in the newest intervals of the
// window; where they do not, marks the times that rest on it. Nothing where samples do not tell, or
// there is no such interval yet. `out` has its figures.
void check_costs(const RunParts& run, const figures::Model& model, Window window,
                 snapshot::Snapshot& out);

}  // namespace compmond::present
