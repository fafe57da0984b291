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
    bytes_ -= kept_.front().bytes.size();
    kept_.pop_front();
  }
}

std::string FlightBuffer::log(Header header, const State& state) const {
  header.state = state;
  if (kept_.empty()) {
    header.begin_ns = state.as_of_ns;
    header.first_event = state.events;
  } else {
    header.begin_ns = std::max(header.begin_ns, kept_.front().head.min_ns);
    header.first_event = kept_.front().head.first_event;
  }
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
