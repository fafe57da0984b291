// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "protocol/inside_report.h"
#include "snapshot/snapshot.h"
#include "suggest/draft.h"
#include "suggest/program.h"

// What short runs tell of a program and of a draft.
namespace compmond::suggest {

// A spec of nothing but that function, of that image.
std::string spec_of_one(const std::string& symbol, const Image& image);

// `inside`: of all that was sampled in so many seconds.
Evidence evidence_of(const Program& program, const snapshot::Inside& inside, double seconds);

// How often the draft's operations are called, as a run of it has counted or estimated; which are
// too hot; and which is a landmark: one that most of the time on CPU is below, 1 to 1,000 times a
// second.
void take_counts(Draft& draft, const snapshot::Snapshot& counted);
// Where there is no such run: without what only counting tells to be an operation.
void take_no_counts(Draft& draft);

}  // namespace compmond::suggest
