// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "kieker_files/byte_source.h"

namespace compmond::kieker {

// A file of a log, read in lines or in numbers. After an error it is at its end.
class Input {
 public:
  explicit Input(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {}

  // The next byte, which stays there; nothing at the end.
  std::optional<uint8_t> peek() {
    if (at_ == size_ && !fill()) return std::nullopt;
    return uint8_t(block_[at_]);
  }
  // A line without its end; false at the end of the file. At most `most` bytes are kept: `cut`
  // says whether there were more.
  bool line(std::string& out, size_t most, bool& cut);
  // A number as Java writes it, the highest byte first; nothing where the file ends before.
  template <class Number>
  std::optional<Number> number() {
    std::array<char, sizeof(Number)> bytes;
    for (char& byte : bytes) {
      if (at_ == size_ && !fill()) return std::nullopt;
      byte = block_[at_++];
    }
    static_assert(std::endian::native == std::endian::little);
    std::reverse(bytes.begin(), bytes.end());
    Number out;
    std::memcpy(&out, bytes.data(), sizeof out);
    return out;
  }
  uint64_t position() const { return before_ + at_; }  // in the unpacked file
  uint64_t packed_bytes() const { return source_->packed_bytes(); }
  // What follows is not read.
  void leave() {
    ended_ = true;
    at_ = size_;
  }
  // Told once: why it ended before its end.
  std::optional<Error> take_error() { return std::exchange(error_, std::nullopt); }

 private:
  bool fill();

  std::unique_ptr<ByteSource> source_;
  std::array<char, 64 << 10> block_;
  size_t at_ = 0, size_ = 0;
  uint64_t before_ = 0;  // bytes before the block
  bool ended_ = false;
  std::optional<Error> error_;
};

}  // namespace compmond::kieker
