// SPDX-License-Identifier: Apache-2.0
#include "recording/flight_buffer.h"

#include <algorithm>

#include "recording/log_file.h"

namespace compmond::recording {

void FlightBuffer::append(const ChunkHead& head, std::string bytes) {
  newest_ns_ = std::max(newest_ns_, head.max_ns);
  bytes_ += bytes.size();
  kept_.push_back({head, std::move(bytes)});
  const uint64_t oldest_ns = newest_ns_ - std::min(newest_ns_, keep_ns_);
  // One that reaches back before that stays as long as any of it is wanted.
  while (kept_.size() > 1 && (kept_.front().head.max_ns < oldest_ns || bytes_ > keep_bytes_)) {
    overflowed_ = overflowed_ || kept_.front().head.max_ns >= oldest_ns;
    uint64_t& gone_ns = gone_ns_[kept_.front().head.type];
    gone_ns = std::max(gone_ns, kept_.front().head.max_ns);
    bytes_ -= kept_.front().bytes.size();
    kept_.pop_front();
  }
}

const ChunkHead* FlightBuffer::first_of(ChunkType type) const {
  const auto first =
      std::ranges::find_if(kept_, [&](const Kept& kept) { return kept.head.type == type; });
  return first == kept_.end() ? nullptr : &first->head;
}

std::string FlightBuffer::log(Header header, const State& state) const {
  header.state = state;
  const ChunkHead* const events = first_of(ChunkType::kEvents);
  const ChunkHead* const samples = first_of(ChunkType::kSamples);
  header.first_event = events ? events->first_event : state.events;
  header.first_sample = samples ? samples->first_event : state.samples;
  // Where events are there, others may reach back further. Of a time in which nothing happened
  // nothing is missing.
  const ChunkHead* const first = events ? events : samples ? samples : first_of(ChunkType::kSlices);
  const auto gone = first ? gone_ns_.find(first->type) : gone_ns_.end();
  const uint64_t gone_ns = gone == gone_ns_.end() ? 0 : gone->second;
  uint64_t begin_ns = first ? first->min_ns : state.as_of_ns;
  if (first && gone_ns > 0) begin_ns = std::min(begin_ns, gone_ns);
  header.begin_ns = first ? std::max(header.begin_ns, begin_ns) : begin_ns;
  std::string out;
  std::vector<ChunkPlace> places;
  const auto append = [&](const ChunkHead& head, const std::string& bytes) {
    places.push_back({out.size(), head});
    out += bytes;
  };
  ChunkHead head;
  std::string bytes = header_chunk(header, head);
  append(head, bytes);
  for (const Kept& kept : kept_) append(kept.head, kept.bytes);
  append(head, bytes);  // again, as in any log
  bytes = state_chunk(state, head);
  append(head, bytes);
  return out + log_end(places, out.size());
}

}  // namespace compmond::recording
