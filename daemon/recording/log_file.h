// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/fresh_file.h"
#include "base/result.h"
#include "log_format/chunk.h"
#include "log_format/header.h"

namespace compmond::recording {

// Where a chunk lies, as the index has it.
struct ChunkPlace {
  uint64_t offset = 0;
  ChunkHead head;
};
// The payload of an index chunk, and back; hashes are not part of it. Empty when malformed or when
// there are more than `most`.
std::string encode_index(const std::vector<ChunkPlace>& places);
std::vector<ChunkPlace> decode_index(std::string_view payload, size_t most);

// Writes a log. Every chunk in it is whole as soon as append() returns, so that it can be read
// whenever the writer dies. With a limit there are two files, PATH and PATH.1, which take turns:
// the one that has half of the limit stays as it is until the other has as much. One thread.
class LogFile {
 public:
  // Creates the files in place of older ones, with the rights that there are now; afterwards none
  // are needed. `limit_bytes` 0: none. Exit::kCantCreate; FreshFile tells what is not replaced.
  static Result<LogFile> create(const std::string& path, uint64_t limit_bytes);

  // Comes first.
  Result<void> begin(Header header);
  // Appends a chunk of what was observed, or a state. After an error nothing of it is in the file.
  Result<void> append(const ChunkHead& head, const std::string& bytes);
  // What headers written from now on say.
  void set_state(const State& state) { header_.state = state; }
  // Writes the index; nothing may follow. An error also where somebody removed the file.
  Result<void> finish();

  uint64_t bytes() const { return written_; }  // all in all

 private:
  explicit LogFile(uint64_t limit_bytes) : limit_bytes_(limit_bytes) {}
  FreshFile& file() { return files_[current_]; }
  Result<void> append_at_once(ChunkHead head, const std::string& bytes);
  Result<void> append_header();
  Result<void> start_next(const ChunkHead& first);

  std::vector<FreshFile> files_;  // one or two
  size_t current_ = 0;
  Header header_;
  uint64_t limit_bytes_;
  uint64_t written_ = 0;
  uint64_t next_header_ = 0;  // size of the file at which the header is repeated
  bool has_evidence_ = false;
  uint64_t next_event_ = 0, next_sample_ = 0;  // running numbers behind the last ones appended
  std::vector<ChunkPlace> places_;
};

// The chunk that begins a file, and repeats its beginning.
std::string header_chunk(const Header& header, ChunkHead& head);
std::string state_chunk(const State& state, ChunkHead& head);
// What ends a file that has `size` bytes: its index and where that is.
std::string log_end(const std::vector<ChunkPlace>& places, uint64_t size);

}  // namespace compmond::recording
