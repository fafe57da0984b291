// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <string>

#include "log_format/chunk.h"
#include "log_format/header.h"

namespace compmond::recording {

// The newest chunks of what was observed in memory, within a time and a number of bytes, ready to
// be saved as a log. One thread.
class FlightBuffer {
 public:
  FlightBuffer(uint64_t keep_ns, size_t keep_bytes) : keep_ns_(keep_ns), keep_bytes_(keep_bytes) {}

  void append(const ChunkHead& head, std::string bytes);
  // A whole log of them.
  std::string log(Header header, const State& state) const;
  size_t bytes() const { return bytes_; }
  // Some of the newest `keep_ns` had to go because they took more than `keep_bytes`.
  bool overflowed() const { return overflowed_; }

 private:
  struct Kept {
    ChunkHead head;
    std::string bytes;
  };
  const ChunkHead* first_of(ChunkType type) const;  // the oldest one that is kept

  uint64_t keep_ns_;
  size_t keep_bytes_;
  std::deque<Kept> kept_;
  size_t bytes_ = 0;
  uint64_t newest_ns_ = 0;
  std::map<ChunkType, uint64_t> gone_ns_;  // newest times among what is no longer kept
  bool overflowed_ = false;
};

}  // namespace compmond::recording
