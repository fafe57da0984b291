// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/fresh_file.h"
#include "base/result.h"
#include "log/chunk.h"
#include "log/header.h"

namespace compmond::log {

// Where a chunk lies, as the index has it.
struct ChunkPlace {
  uint64_t offset = 0;
  ChunkHead head;
};
// The payload of an index chunk, and back; hashes are not part of it. Empty when malformed.
std::string encode_index(const std::vector<ChunkPlace>& places);
std::vector<ChunkPlace> decode_index(std::string_view payload);

// Writes a log. Every chunk in it is whole as soon as append() returns, so that it can be read
// whenever the writer dies. With a limit, the file is put aside as PATH.1 each time that it has
// half of it, in place of an older one, and a new file begins. One thread.
class LogFile {
 public:
  enum class Publish { kAtOnce, kWhenFinished };
  // `limit_bytes` 0: none. A file that has the name is replaced as soon as the new one is
  // published; FreshFile tells what is not replaced.
  static Result<LogFile> open(const std::string& path, Header header, uint64_t limit_bytes,
                              Publish publish);

  // Appends a chunk of events or a state. After an error nothing of it is in the file.
  Result<void> append(const ChunkHead& head, const std::string& bytes);
  // What headers written from now on say.
  void set_state(const State& state) { header_.state = state; }
  // Writes the index; nothing may follow.
  Result<void> finish();

  uint64_t bytes() const { return before_ + file_.size(); }  // in all files of the run

 private:
  LogFile(FreshFile file, std::string path, Header header, uint64_t limit_bytes)
      : file_(std::move(file)),
        path_(std::move(path)),
        header_(std::move(header)),
        limit_bytes_(limit_bytes) {}
  Result<void> append_at_once(ChunkHead head, const std::string& bytes);
  Result<void> append_header();
  Result<void> publish();
  Result<void> start_next(const ChunkHead& first);

  FreshFile file_;
  std::string path_;
  Header header_;
  uint64_t limit_bytes_;
  uint64_t before_ = 0;       // bytes of the files before this one
  uint64_t next_header_ = 0;  // size of the file at which the header is repeated
  bool has_events_ = false;
  bool published_ = false;
  std::vector<ChunkPlace> places_;
};

}  // namespace compmond::log
