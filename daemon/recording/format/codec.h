// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "log_format/block.h"
#include "log_format/chunk.h"

namespace compmond::recording {

// No writer puts more into one chunk, and a reader must not be made to allocate without end.
inline constexpr size_t kMaxThreads = 1u << 17;
inline constexpr size_t kMaxInterrupts = 8;

// The payload of an events chunk (docs/log-format.md): two to seven bytes per event before
// compression. `block.threads` names all threads of its steps. Fills events, first_event, min_ns
// and max_ns of `head`.
std::string encode(const Block& block, ChunkHead& head);

// The inverse; nothing when the payload is malformed. `head` must be the one it was sealed with.
std::optional<Block> decode(const ChunkHead& head, std::string_view payload);

}  // namespace compmond::recording
