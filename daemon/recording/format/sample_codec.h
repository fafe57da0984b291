// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "log_format/chunk.h"
#include "log_format/sample_block.h"

namespace compmond::recording {

// No writer puts more into one chunk, and a reader must not be made to allocate or work without
// end.
inline constexpr size_t kMaxSamples = 1u << 14;  // half a minute of them
inline constexpr size_t kMaxCalls = 1u << 18;
inline constexpr size_t kMaxDepth = 512;  // frames of a stack; nobody unwinds more
inline constexpr size_t kMaxStretches = 256;
inline constexpr size_t kMaxProcessTimes = 1u << 20;  // of all its stretches together

// How many samples so much time can hold: some 500 a second are taken, a million could not be
// asked for on the largest machine. A number that says more is not to be believed.
constexpr uint64_t most_samples(uint64_t ns) { return ns / 1000 + kMaxSamples; }

// The payload of a chunk of samples (docs/log-format.md): some ten bytes a sample before
// compression. The block must keep to the limits above. Fills events, first_event, min_ns and
// max_ns of `head`.
std::string encode(const SampleBlock& block, ChunkHead& head);

// The inverse; nothing when the payload is malformed: what it returns has every index in range,
// every caller before its callee, stretches of some time that follow each other, no more lost than
// most_samples(), and all times within those of `head`, which must be the one it was sealed with.
std::optional<SampleBlock> decode_samples(const ChunkHead& head, std::string_view payload);

}  // namespace compmond::recording
