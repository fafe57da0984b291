// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/window.h"
#include "present/run_parts.h"

namespace compmond::present {

// Which components are known by samples alone, so that their times are estimates: no probe sees an
// operation of theirs.
std::vector<bool> sampled_components(const RunParts& run);

// Whether probes were too dear, or switched off, and away for a part of that window: what the
// others saw has in it the time that these did not see. With samples, the times of all components
// are then estimates.
bool probes_away(const RunParts& run, Window window);
bool busy_in(const RunParts& run, Window window);

// Whether somebody had switched some of them off in it.
bool off_in(const RunParts& run, Window window);
// The operations whose probes were too dear for a part of the window; not those that were missed
// for a moment when these went.
std::vector<size_t> missed_in(const RunParts& run, Window window);

// Whether samples tell what a snapshot of that window shows of all components: busy, or some are
// known by samples alone.
bool samples_tell_times(const RunParts& run, Window window);

// Until when the run's samples are known: those of the last second or so count when the stretch in
// which they were taken was told. From the run's start (none is) to its now (all are: it ended).
uint64_t samples_known_ns(const RunParts& run);

// The window that follows the run: its last `seconds`, or all of it when seconds <= 0. It ends now;
// where it rests on samples, where these are known, for else it would lack its newest part.
// Before any is known it is as if there were none.
Window last_seconds(const RunParts& run, double seconds);

}  // namespace compmond::present
