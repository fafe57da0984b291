// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "log_format/chunk.h"
#include "log_format/slice_block.h"

namespace compmond::recording {

// No writer puts more into one chunk, and a reader must not be made to allocate without end.
inline constexpr size_t kMaxSliceSteps = 1024;

// The payload of a chunk of slices (docs/log-format.md): JSON, some KiB a slice before compression.
// Fills events (how many steps), first_event, min_ns and max_ns of `head`.
std::string encode(const SliceBlock& block, ChunkHead& head);

// The inverse. Exit::kData where the payload is malformed: what it returns has the operations of
// the log, of which there are so many, strata in range, and times within those of `head`, which
// must be the one it was sealed with.
Result<SliceBlock> decode_slices(const ChunkHead& head, std::string_view payload,
                                 size_t operations);

}  // namespace compmond::recording
