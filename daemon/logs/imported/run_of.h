// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "imported/pieces.h"
#include "log_format/header.h"
#include "traces/traced.h"

namespace compmond::imported {

// Those of a run in which `seen` were: where these are of several hosts, they, by host; else all of
// the catalogue.
std::vector<Placed> operations_of(const traces::Catalogue& catalogue, std::vector<Placed> seen);

// What a monitoring log says of a run that compmond did not observe: classes as components, below
// their host's name where there are several, with these operations, numbered in their order. Times
// of the log begin at kBeginNs; what they are less than the true ones is left to say. Exit::kData
// where there are more operations, or names of classes, than can be shown; the message names
// `path`.
Result<recording::Header> header_of(const traces::Catalogue& catalogue,
                                    const std::vector<Placed>& operations, const std::string& path);
inline constexpr uint64_t kBeginNs = 1'000'000'000;

// What to do with a log that is too large.
inline constexpr const char* kInstead =
    "Use compmond analyze and export, which take logs of any size.";

// Its hosts as processes, numbered from 1, which have ended at `end_ns`.
recording::State state_of(const traces::Catalogue& catalogue, uint64_t end_ns);

}  // namespace compmond::imported
