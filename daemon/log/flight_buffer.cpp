// SPDX-License-Identifier: Apache-2.0
#include "log/flight_buffer.h"

#include <algorithm>

#include "log/log_file.h"

namespace compmond::log {

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

Result<void> FlightBuffer::save(const std::string& path, Header header, const State& state) const {
  header.state = state;
  if (!kept_.empty()) {
    header.begin_ns = std::max(header.begin_ns, kept_.front().head.min_ns);
    header.first_event = kept_.front().head.first_event;
  } else {
    header.begin_ns = state.as_of_ns;
    header.first_event = state.events;
  }
  auto file = LogFile::open(path, std::move(header), 0, LogFile::Publish::kWhenFinished);
  if (!file) return Unexpected(std::move(file.error()));
  for (const Kept& kept : kept_)
    if (auto written = file->append(kept.head, kept.bytes); !written) return written;
  ChunkHead head;
  head.type = ChunkType::kState;
  head.first_event = state.events;
  head.min_ns = head.max_ns = state.as_of_ns;
  const std::string bytes = seal(head, to_json(state));
  if (auto written = file->append(head, bytes); !written) return written;
  return file->finish();
}

}  // namespace compmond::log
