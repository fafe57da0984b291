// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

// The outer form of a log: chunks that are found, checked and unpacked without knowing what stands
// in them (docs/log-format.md).
namespace compmond::recording {

enum class ChunkType : uint32_t {
  kHeader = 1,
  kEvents = 2,
  kState = 3,
  kIndex = 4,
  kSamples = 5,
  kSlices = 6
};
// Whether it holds what was observed, events, samples or slices, numbered through the run each.
constexpr bool holds_evidence(ChunkType type) {
  return type == ChunkType::kEvents || type == ChunkType::kSamples || type == ChunkType::kSlices;
}

struct ChunkHead {
  ChunkType type = ChunkType::kEvents;
  uint32_t events = 0;              // in it; of samples and slices: how many
  uint32_t stored = 0;              // bytes of the payload in the file
  uint32_t raw = 0;                 // bytes of the payload unpacked
  uint64_t first_event = 0;         // running number of the first of them in the run
  uint64_t min_ns = 0, max_ns = 0;  // of their times
  uint64_t payload_hash = 0;        // XXH3, 64 bits, of the payload in the file
  bool operator==(const ChunkHead&) const = default;
};

inline constexpr std::string_view kChunkMagic =
    "\x89"
    "CMLOG\x01\n";
inline constexpr size_t kHeadBytes = 64;  // magic, the members above, hash of all that
// Larger ones are no chunks: no writer makes them, and a reader must not be made to allocate more.
inline constexpr uint32_t kMaxPayload = 64u << 20;
inline constexpr uint32_t kMaxEvents = 1u << 20;

// The whole chunk: head and packed payload. Sets stored, raw and payload_hash in `head`.
std::string seal(ChunkHead& head, std::string_view payload);
// Nothing when these are not the first bytes of a chunk.
std::optional<ChunkHead> parse_head(std::string_view bytes);
// The payload unpacked; nothing when it is not the one that was sealed.
std::optional<std::string> unseal(const ChunkHead& head, std::string_view stored);

// The last bytes of a finished log: where its index begins.
inline constexpr size_t kTrailerBytes = 24;
std::string make_trailer(uint64_t index_offset);
std::optional<uint64_t> parse_trailer(std::string_view bytes);

}  // namespace compmond::recording
