// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "snapshot/snapshot.h"

// What samples tell, as all views say it.
namespace compmond::ui {

// Instead of everything that is about single calls.
inline constexpr const char* kNoSingleCalls = "Samples know no single calls.";

// Of a component or an operation whose times samples tell, these; of one without operations of its
// own, of those inside it. Null: probes saw them.
const snapshot::Estimated* estimated_of(const snapshot::Figures& figures);
const snapshot::Estimated* estimated_of(const snapshot::Component& component);
// Whether probes saw calls of it, if not all.
bool saw_calls(const snapshot::Component& component);
// Before what only grows with calls: "≥" where some were not seen.
std::string at_least_mark(const snapshot::Figures& figures);
// "4,512", "≥4,512" where some were not seen, "none seen" where none of these was; "≈4,512 ±2 %"
// where slices tell of those that were not.
std::string calls_text(const snapshot::Figures& figures);
// A time of single calls: "1.25 ms", "–" where there was none.
std::string single_text(uint64_t ns);
// How the number of calls is known where not all were seen, as sentences; empty: as the others.
std::string how_calls_are_known(const snapshot::Figures& figures);
// Of a raw one: "~1.25 µs" where much of it is what probes cost.
std::string raw_single_text(const snapshot::Figures& figures, uint64_t ns);
// " in 6 % of the time", if that is not all of it.
std::string observed_text(const snapshot::Figures& figures);

// Value and spread of one of the times, as snapshot/estimate_text.h writes them: "1.25 s ±4 %".
using snapshot::TimeOf;
std::string estimate_text(const snapshot::Estimated& of, TimeOf time);
// The real and the raw time, whatever they rest on: "1.25 s".
std::string real_text(const snapshot::Figures& figures);
std::string raw_text(const snapshot::Figures& figures);

// Part of the real time on a CPU, 0 to 1; none: not known.
std::optional<double> cpu_share(const snapshot::Estimated& of,
                                const std::optional<snapshot::SamplesHealth>& health);
// The larger part: "84 % on CPU" or "91 % waiting"; where there is none, why.
std::string where_text(const snapshot::Estimated& of,
                       const std::optional<snapshot::SamplesHealth>& health);

// Of a component and all that it contains: "1.05 s inside, 3,481 calls".
std::string inside_text(const snapshot::Component& component,
                        const std::optional<snapshot::SamplesHealth>& health);
// What the figures of one that contains others are of, as a sentence.
std::string whose_text(const snapshot::Component& component,
                       const std::optional<snapshot::SamplesHealth>& health);

// For hovering: "1.25 s, 95 % between 1.20 s and 1.30 s", or what is known instead.
std::string interval_text(const snapshot::Estimated& of, TimeOf time);
// "estimated from 1,204 samples".
std::string samples_text(const snapshot::Estimated& of);
// All times with their intervals, a line each, and that.
std::string estimate_words(const snapshot::Estimated& of,
                           const std::optional<snapshot::SamplesHealth>& health);

}  // namespace compmond::ui
