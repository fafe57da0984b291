// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "recording/log_file.h"

namespace compmond::recording {

// The chunks of one file of a log: by its index where that is whole, else found one after the
// other, beginning anew behind anything that is no chunk. Payloads are read when asked for. One
// thread.
class LogPart {
 public:
  // Exit::kNoInput or Exit::kNoPermission when it cannot be read, Exit::kData when there is no
  // chunk in it.
  static Result<LogPart> open(const std::string& path);

  const std::string& path() const { return path_; }
  const std::vector<ChunkPlace>& places() const { return places_; }
  // Where the chunks listed end in a file that is whole.
  uint64_t end() const { return end_; }

  // The payload of a chunk; nothing when it is not whole.
  std::optional<std::string> payload(const ChunkPlace& place) const;

 private:
  LogPart() = default;
  std::string read(uint64_t offset, size_t size) const;
  std::optional<ChunkHead> head_at(uint64_t offset) const;
  bool use_index();
  void search();
  uint64_t find_head(uint64_t offset) const;

  std::string path_;
  Fd file_;
  uint64_t size_ = 0, end_ = 0;
  std::vector<ChunkPlace> places_;
};

}  // namespace compmond::recording
