// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "kieker_files/byte_source.h"

struct archive;

namespace compmond::kieker {

// An open file as libarchive reads it. Move-only.
class Archive {
 public:
  // One that holds files, or (kGzip, kXz, kBzip2) one stream of bytes. Errors as of open_file.
  static Result<Archive> open(const std::string& path, Packing packing);

  // Goes to the next regular file in it; false at the end. Exit::kData when it is damaged.
  Result<bool> next();
  std::string name() const;  // of that file
  Result<size_t> read(char* to, size_t size);
  uint64_t packed_bytes() const;

 private:
  struct Close {
    void operator()(archive* one) const;
  };
  explicit Archive(std::string path) : path_(std::move(path)) {}
  Unexpected failed() const;

  std::string path_;
  std::unique_ptr<archive, Close> archive_;
  std::string name_;
};

// The names of the regular files in it, in its order. Exit::kData also where there are more than
// limits::kArchiveFiles.
Result<std::vector<std::string>> files_in(const std::string& path, Packing packing);
// The bytes of one of them. Exit::kNoInput when there is none of that name.
Result<std::unique_ptr<ByteSource>> open_in(const std::string& path, Packing packing,
                                            const std::string& name);

}  // namespace compmond::kieker
