// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "log_format/block.h"
#include "log_format/header.h"
#include "recording/log_file.h"

namespace compmond::imported {

// A monitoring log that is written to memory at once.
class WrittenLog {
 public:
  // Exit::kUnavailable when there is no memory for it, here and below.
  static Result<WrittenLog> begin(const recording::Header& header);
  // Events of a thread, which is made known where it is new; they follow all that were told before.
  Result<void> add(record::ThreadId thread, const record::ThreadInfo& info,
                   const record::Event& event);
  // `unread`: what is missing of it, at least.
  Result<Fd> finish(recording::State state, uint64_t unread);

 private:
  explicit WrittenLog(Fd file) : file_(std::move(file)) {}
  Result<void> append(const recording::ChunkHead& head, const std::string& bytes);
  Result<void> write(const std::string& bytes);
  Result<void> write_block();

  Fd file_;
  uint64_t size_ = 0, events_ = 0;
  std::vector<recording::ChunkPlace> places_;
  recording::Block block_;
  std::vector<uint64_t> known_in_;  // per thread: the block in which it was named last, from 1
  uint64_t block_number_ = 1;
};

}  // namespace compmond::imported
