// SPDX-License-Identifier: Apache-2.0
#include "recording/log_file.h"

#include "log_format/bytes.h"

namespace compmond::recording {
namespace {

// The header is repeated behind the first events or samples, and then this often, so that damage to
// one copy costs nothing: 32 MiB of log against some KiB.
constexpr uint64_t kHeaderEvery = 32u << 20;

ChunkHead told_at(ChunkType type, uint64_t first_event, uint64_t time_ns) {
  ChunkHead head;
  head.type = type;
  head.first_event = first_event;
  head.min_ns = head.max_ns = time_ns;
  return head;
}

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

std::vector<ChunkPlace> decode_index(std::string_view payload, size_t most) {
  Unpacker in(payload);
  std::vector<ChunkPlace> out;
  uint64_t offset = 0, event = 0, time = 0;
  const uint64_t count = in.varint();
  if (count > most) return out;
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

std::string header_chunk(const Header& header, ChunkHead& head) {
  head = told_at(ChunkType::kHeader, header.first_event, header.begin_ns);
  return seal(head, to_json(header));
}

std::string state_chunk(const State& state, ChunkHead& head) {
  head = told_at(ChunkType::kState, state.events, state.as_of_ns);
  return seal(head, to_json(state));
}

std::string log_end(const std::vector<ChunkPlace>& places, uint64_t size) {
  ChunkHead head;
  head.type = ChunkType::kIndex;
  return seal(head, encode_index(places)) + make_trailer(size);
}

Result<LogFile> LogFile::create(const std::string& path, uint64_t limit_bytes) {
  LogFile out(limit_bytes);
  auto place = FilePlace::open(path);
  if (!place) return Unexpected(std::move(place.error()));
  for (const char* suffix : {"", ".1"}) {
    if (*suffix && limit_bytes == 0) break;
    auto fresh = FreshFile::create(place->beside(place->name() + suffix));
    if (!fresh) return Unexpected(std::move(fresh.error()));
    out.files_.push_back(std::move(*fresh));
  }
  for (FreshFile& file : out.files_)
    if (auto published = file.publish(); !published) return Unexpected(published.error());
  return out;
}

Result<void> LogFile::begin(Header header) {
  header_ = std::move(header);
  return append_header();
}

Result<void> LogFile::append_at_once(ChunkHead head, const std::string& bytes) {
  const uint64_t offset = file().size();
  if (auto written = file().append(bytes); !written) return written;
  written_ += bytes.size();
  places_.push_back({offset, head});
  return {};
}

Result<void> LogFile::append_header() {
  ChunkHead head;
  const std::string bytes = header_chunk(header_, head);
  next_header_ = file().size() + kHeaderEvery;
  return append_at_once(head, bytes);
}

Result<void> LogFile::append(const ChunkHead& head, const std::string& bytes) {
  const bool evidence = holds_evidence(head.type);
  if (limit_bytes_ > 0 && evidence && has_evidence_ &&
      file().size() + bytes.size() > limit_bytes_ / 2)
    if (auto started = start_next(head); !started) return started;
  if (places_.empty())  // there was no room for it before
    if (auto begun = append_header(); !begun) return begun;
  if (auto written = append_at_once(head, bytes); !written) return written;
  if (head.type == ChunkType::kEvents) next_event_ = head.first_event + head.events;
  if (head.type == ChunkType::kSamples) next_sample_ = head.first_event + head.events;
  const bool first = evidence && !has_evidence_;
  has_evidence_ = has_evidence_ || evidence;
  // A copy that finds no room is no loss.
  if (first || file().size() >= next_header_) (void)append_header();
  return {};
}

Result<void> LogFile::start_next(const ChunkHead& first) {
  (void)finish();  // without an index it can be read all the same
  current_ = 1 - current_;
  places_.clear();
  has_evidence_ = false;
  ++header_.segment;
  header_.begin_ns = first.min_ns;
  header_.first_event = first.type == ChunkType::kEvents ? first.first_event : next_event_;
  header_.first_sample = first.type == ChunkType::kSamples ? first.first_event : next_sample_;
  return file().restart();
}

Result<void> LogFile::finish() {
  if (auto written = file().append(log_end(places_, file().size())); !written) return written;
  if (auto synced = file().sync(); !synced) return synced;
  return file().check_there();
}

}  // namespace compmond::recording
