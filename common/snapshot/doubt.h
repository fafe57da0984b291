// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "snapshot/snapshot.h"

// What may be told of that which was not met, and of what was not all seen.
namespace compmond::snapshot {

// Why there may have been calls in the window although these figures have none: "not seen in 1,204
// samples", "not seen while observed 83.0 %". Empty: there was none.
std::string doubt_of_none(const Snapshot& snapshot, const Figures& figures);
// Likewise, of a component's own operations, some of which may not be observed.
std::string doubt_of_none(const Snapshot& snapshot, const Component& component);
// Likewise, of calls between two components.
std::string doubt_of_none(const Snapshot& snapshot, const Edge& edge);

// Whether its number of calls says anything: that there were at least none does not.
bool tells_calls(const Figures& figures);
// Whether a part of the real time, on CPU or waiting, is only known to be less than that itself,
// which is seen.
bool tells_nothing(const Figures& figures, TimeOf part);
// How the note begins that tells of a window in which probes were away, and what to do.
inline constexpr std::string_view kBusyNote = "busy: ";
// Whether probes of some component were away for a part of the window.
bool probes_were_away(const Snapshot& snapshot);
// Why real times are `uncertain`, where some are: "the probes' own cost is over a third of it".
std::string_view why_uncertain(const Snapshot& snapshot);
// Whether there may have been more calls than these, as some of one of the two were not seen.
bool misses_calls(const Snapshot& snapshot, const Edge& edge);

}  // namespace compmond::snapshot
