// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "log_format/header.h"
#include "traces/traced.h"

namespace compmond::imported {

// What a monitoring log says of a run that compmond did not observe: the classes of a catalogue as
// components, with its operations, numbered as there. Times of the log begin at kBeginNs.
recording::Header header_of(const traces::Catalogue& catalogue, uint64_t begin_ns);
inline constexpr uint64_t kBeginNs = 1'000'000'000;

// Its hosts as processes, numbered from 1, which have ended at `end_ns`.
recording::State state_of(const traces::Catalogue& catalogue, uint64_t end_ns);

}  // namespace compmond::imported
