// SPDX-License-Identifier: Apache-2.0
#include "recording/log_files.h"

#include <fmt/format.h>

#include <utility>

namespace compmond::recording {
namespace {

// The newest header that is whole; all copies in one file differ in their state only. Else why the
// last of those that could be unpacked is none.
Result<Header> find_header(const LogPart& part) {
  Error none{
      Exit::kData, {}, "no header in it is whole", "Give a file that 'compmond --record' wrote."};
  for (const ChunkPlace& place : part.places()) {
    if (place.head.type != ChunkType::kHeader) continue;
    const auto text = part.payload(place);
    if (!text) continue;
    auto header = header_from_json(*text);
    if (header) return header;
    none = std::move(header.error());
  }
  none.what = fmt::format("cannot read the log '{}'", part.path());
  return Unexpected(std::move(none));
}

Result<FoundFile> open_file(const std::string& path) {
  auto part = LogPart::open(path);
  if (!part) return Unexpected(std::move(part.error()));
  auto header = find_header(*part);
  if (!header) return Unexpected(std::move(header.error()));
  return FoundFile{std::move(*part), std::move(*header)};
}

}  // namespace

std::optional<State> find_last_state(const LogPart& part, const Header& header) {
  for (size_t i = part.places().size(); i-- > 0;) {
    const ChunkPlace& place = part.places()[i];
    if (place.head.type != ChunkType::kState) continue;
    const auto text = part.payload(place);
    if (!text) continue;
    auto state = state_from_json(*text, header);
    if (state) return std::move(*state);
  }
  return std::nullopt;
}

Result<std::vector<FoundFile>> find_log_files(const std::string& path) {
  auto named = open_file(path);
  if (!named && named.error().code != Exit::kData) return Unexpected(std::move(named.error()));
  auto other = open_file(path.ends_with(".1") ? path.substr(0, path.size() - 2) : path + ".1");
  if (!named && !other) return Unexpected(std::move(named.error()));
  std::vector<FoundFile> out;
  if (!other || (named && other->header.run != named->header.run)) {
    out.push_back(std::move(*named));
  } else if (!named) {  // it was emptied to be written anew
    out.push_back(std::move(*other));
  } else {
    out.push_back(std::move(*named));
    out.push_back(std::move(*other));
    if (out[0].header.segment > out[1].header.segment) std::swap(out[0], out[1]);
    if (out[0].header.segment + 1 != out[1].header.segment) out.erase(out.begin());
  }
  return out;
}

}  // namespace compmond::recording
