// SPDX-License-Identifier: Apache-2.0
#include "log/log_file.h"

#include "log/bytes.h"

namespace compmond::log {
namespace {

// The header is repeated behind the first events, and then this often, so that damage to one copy
// costs nothing: 32 MiB of log against some KiB.
constexpr uint64_t kHeaderEvery = 32u << 20;

}  // namespace

std::string encode_index(const std::vector<ChunkPlace>& places) {
  std::string out;
  uint64_t offset = 0, event = 0, time = 0;
  put_varint(out, places.size());
  for (const ChunkPlace& place : places) {
    const ChunkHead& head = place.head;
    put_varint(out, place.offset - offset);
    put_varint(out, uint64_t(head.type));
    put_varint(out, head.stored);
    put_varint(out, head.raw);
    put_varint(out, head.events);
    put_varint(out, zigzag(head.first_event - event));
    put_varint(out, zigzag(head.min_ns - time));
    put_varint(out, head.max_ns - head.min_ns);
    offset = place.offset;
    event = head.first_event;
    time = head.min_ns;
  }
  return out;
}

std::vector<ChunkPlace> decode_index(std::string_view payload) {
  ByteReader in(payload);
  std::vector<ChunkPlace> out;
  uint64_t offset = 0, event = 0, time = 0;
  const uint64_t count = in.varint();
  for (uint64_t i = 0; i < count && in.ok(); ++i) {
    ChunkPlace place;
    place.offset = offset += in.varint();
    place.head.type = ChunkType(in.varint());
    place.head.stored = uint32_t(in.varint());
    place.head.raw = uint32_t(in.varint());
    place.head.events = uint32_t(in.varint());
    place.head.first_event = event += unzigzag(in.varint());
    place.head.min_ns = time += unzigzag(in.varint());
    place.head.max_ns = time + in.varint();
    out.push_back(place);
  }
  if (!in.ok() || in.left() > 0) out.clear();
  return out;
}

Result<LogFile> LogFile::open(const std::string& path, Header header, uint64_t limit_bytes,
                              Publish publish) {
  auto fresh = FreshFile::create(path);
  if (!fresh) return Unexpected(std::move(fresh.error()));
  LogFile out(std::move(*fresh), path, std::move(header), limit_bytes);
  if (auto written = out.append_header(); !written) return Unexpected(written.error());
  if (publish == Publish::kWhenFinished) return out;
  if (auto published = out.publish(); !published) return Unexpected(published.error());
  return out;
}

Result<void> LogFile::publish() {
  auto published = file_.publish();
  published_ = published_ || published;
  return published;
}

Result<void> LogFile::append_at_once(ChunkHead head, const std::string& bytes) {
  const uint64_t offset = file_.size();
  if (auto written = file_.append(bytes); !written) return written;
  places_.push_back({offset, head});
  return {};
}

Result<void> LogFile::append_header() {
  ChunkHead head;
  head.type = ChunkType::kHeader;
  head.first_event = header_.first_event;
  head.min_ns = head.max_ns = header_.begin_ns;
  const std::string bytes = seal(head, to_json(header_));
  next_header_ = file_.size() + kHeaderEvery;
  return append_at_once(head, bytes);
}

Result<void> LogFile::append(const ChunkHead& head, const std::string& bytes) {
  const bool events = head.type == ChunkType::kEvents;
  if (limit_bytes_ > 0 && events && has_events_ && file_.size() + bytes.size() > limit_bytes_ / 2)
    if (auto started = start_next(head); !started) return started;
  if (auto written = append_at_once(head, bytes); !written) return written;
  const bool first = events && !has_events_;
  has_events_ = has_events_ || events;
  // A copy that finds no room is no loss.
  if (first || file_.size() >= next_header_) (void)append_header();
  return {};
}

// Where the new file cannot begin, the old one stays as it is and the chunk has no room.
Result<void> LogFile::start_next(const ChunkHead& first) {
  Header header = header_;
  ++header.segment;
  header.begin_ns = first.min_ns;
  header.first_event = first.first_event;
  auto next = open(path_, std::move(header), limit_bytes_, Publish::kWhenFinished);
  if (!next) return Unexpected(std::move(next.error()));
  // Neither failure keeps the new file from taking over: without an index the old one can be read
  // all the same, and one that somebody took away need not be put aside.
  (void)finish();
  (void)file_.rename(file_.name() + ".1");
  next->before_ = bytes();
  *this = std::move(*next);
  return publish();
}

Result<void> LogFile::finish() {
  ChunkHead head;
  head.type = ChunkType::kIndex;
  const std::string index = seal(head, encode_index(places_));
  if (auto written = file_.append(index + make_trailer(file_.size())); !written) return written;
  if (auto synced = file_.sync(); !synced || published_) return synced;
  return publish();
}

}  // namespace compmond::log
