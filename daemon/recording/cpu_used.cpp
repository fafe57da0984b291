// SPDX-License-Identifier: Apache-2.0
#include "recording/cpu_used.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace compmond::recording {
namespace {

// The last state of that moment or before, and the first one after it.
std::pair<std::optional<State>, std::optional<State>> states_around(
    const std::vector<LogPart>& parts, const Header& header, uint64_t time_ns) {
  const LogPart *part_before = nullptr, *part_after = nullptr;
  const ChunkPlace *before = nullptr, *after = nullptr;
  for (const LogPart& one : parts)
    for (const ChunkPlace& at : one.places()) {
      if (at.head.type != ChunkType::kState) continue;
      if (at.head.min_ns > time_ns) {
        if (!after || at.head.min_ns < after->head.min_ns) after = &at, part_after = &one;
      } else if (!before || at.head.min_ns >= before->head.min_ns) {
        before = &at, part_before = &one;
      }
    }
  const auto read = [&](const LogPart* from, const ChunkPlace* at) -> std::optional<State> {
    const auto payload = at ? from->payload(*at) : std::nullopt;
    if (!payload) return std::nullopt;
    auto told = state_from_json(*payload, header);
    return told ? std::optional(std::move(*told)) : std::nullopt;
  };
  return {read(part_before, before), read(part_after, after)};
}

}  // namespace

uint64_t cpu_used_ns(const std::vector<LogPart>& parts, const Header& header, uint64_t time_ns) {
  const auto [before, after] = states_around(parts, header, time_ns);
  const uint64_t from_ns = before ? before->as_of_ns : header.start_ns;
  const uint64_t used_ns = before ? before->cpu_used_ns : 0;
  if (!after || after->as_of_ns <= from_ns || time_ns <= from_ns) return used_ns;
  const double part = double(time_ns - from_ns) / double(after->as_of_ns - from_ns);
  const uint64_t more_ns = after->cpu_used_ns - std::min(after->cpu_used_ns, used_ns);
  return used_ns + uint64_t(std::min(part, 1.0) * double(more_ns));
}

}  // namespace compmond::recording
