// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace compmond::kieker {

// The bytes of a file, or of a part of one, unpacked as they are read. One thread.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // At most `size` bytes; 0 at the end. Exit::kData where what follows cannot be read or unpacked;
  // then that was the end.
  virtual Result<size_t> read(char* to, size_t size) = 0;
  // How much of the file on disk that took so far; for showing progress.
  virtual uint64_t packed_bytes() const = 0;
};

// How a file's bytes are packed, as the end of its name says.
enum class Packing { kNone, kGzip, kXz, kBzip2, kDeflate, kZip, kTar };
Packing packing_of(std::string_view name);
// The name without that end.
std::string_view without_packing(std::string_view name);
// Whether it holds files with names of their own.
constexpr bool holds_files(Packing packing) {
  return packing == Packing::kZip || packing == Packing::kTar;
}

// The bytes of a file that holds no others. What unpacks to more than limits::kUnpackedRatio times
// its size ends with an error. Exit::kNoInput, Exit::kNoPermission or Exit::kData.
Result<std::unique_ptr<ByteSource>> open_file(const std::string& path, Packing packing);

}  // namespace compmond::kieker
