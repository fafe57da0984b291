// SPDX-License-Identifier: Apache-2.0
#include "recording/log_part.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>

#include "core/limits.h"
#include "core/read_at.h"

namespace compmond::recording {
namespace {

constexpr size_t kSearchBytes = 1u << 20;  // read at a time while looking for a chunk

// A text takes ten times its size to be understood, so a large one has to be there, not just packed
// well.
bool is_believable(const ChunkHead& head) {
  const bool text = head.type == ChunkType::kHeader || head.type == ChunkType::kState ||
                    head.type == ChunkType::kSlices;
  return !text || head.raw <= limits::kLogTextFree + limits::kLogTextRatio * head.stored;
}

}  // namespace

Result<LogPart> LogPart::open(const std::string& path) {
  const std::string what = fmt::format("cannot read the log '{}'", path);
  LogPart out;
  out.path_ = path;
  out.file_.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!out.file_.valid())
    return fail_errno(is_permission(errno) ? Exit::kNoPermission : Exit::kNoInput, what, errno,
                      "Check the path.");
  struct stat st {};
  if (::fstat(out.file_.get(), &st) != 0) return fail_errno(Exit::kNoInput, what, errno);
  if (!S_ISREG(st.st_mode))
    return fail(Exit::kNoInput, what, "it is not a regular file", "Check the path.");
  out.size_ = uint64_t(st.st_size);
  if (!out.use_index()) out.search();
  if (out.places_.empty())
    return fail(Exit::kData, what, "nothing of a monitoring log is in it",
                "Give a file that 'compmond --record' wrote; of a log of Kieker its folder, or an "
                "archive.");
  return out;
}

// Fewer at the end of the file.
std::string LogPart::read(uint64_t offset, size_t size) const {
  std::string out(offset < size_ ? size_t(std::min<uint64_t>(size, size_ - offset)) : 0, '\0');
  out.resize(read_at(file_, out.data(), out.size(), offset));
  return out;
}

std::optional<ChunkHead> LogPart::head_at(uint64_t offset) const {
  return parse_head(read(offset, kHeadBytes));
}

std::optional<std::string> LogPart::payload(const ChunkPlace& place) const {
  const auto head = head_at(place.offset);
  ChunkHead expected = place.head;
  if (head) expected.payload_hash = head->payload_hash;  // the index has none
  if (!head || *head != expected || !is_believable(*head)) return std::nullopt;
  return unseal(*head, read(place.offset + kHeadBytes, head->stored));
}

bool LogPart::use_index() {
  if (size_ < kTrailerBytes) return false;
  const auto offset = parse_trailer(read(size_ - kTrailerBytes, kTrailerBytes));
  const auto head = offset ? head_at(*offset) : std::nullopt;
  if (!head || head->type != ChunkType::kIndex ||
      *offset + kHeadBytes + head->stored + kTrailerBytes != size_)
    return false;
  const auto index = payload({*offset, *head});
  if (!index) return false;
  places_ = decode_index(*index, size_t(size_ / kHeadBytes));
  uint64_t at = 0;
  for (const ChunkPlace& place : places_) {
    if (place.offset < at || place.offset >= *offset || place.head.stored > kMaxPayload) {
      places_.clear();
      return false;
    }
    at = place.offset + kHeadBytes + place.head.stored;
  }
  end_ = *offset;
  return !places_.empty() && at <= end_;
}

// The place of the next whole head at or behind `offset`; size_ when there is none.
uint64_t LogPart::find_head(uint64_t offset) const {
  while (offset + kHeadBytes <= size_) {
    const std::string bytes = read(offset, kSearchBytes);
    for (size_t at = bytes.find(kChunkMagic); at != std::string::npos;
         at = bytes.find(kChunkMagic, at + 1))
      if (head_at(offset + at)) return offset + at;
    if (bytes.size() < kSearchBytes) break;
    offset += kSearchBytes - kChunkMagic.size() + 1;  // a magic may lie across the border
  }
  return size_;
}

void LogPart::search() {
  places_.clear();
  end_ = parse_trailer(read(size_ - std::min<uint64_t>(size_, kTrailerBytes), kTrailerBytes))
             ? size_ - kTrailerBytes
             : size_;
  uint64_t at = 0, looked_at = 0;
  while (at + kHeadBytes <= size_) {
    const auto head = head_at(at);
    if (!head) {
      // The chunk before may be shorter than it says, or be cut out of another file.
      at = find_head(looked_at);
      continue;
    }
    places_.push_back({at, *head});
    looked_at = at + 1;
    at += kHeadBytes + head->stored;
  }
}

}  // namespace compmond::recording
