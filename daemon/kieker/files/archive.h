// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "kieker_files/byte_source.h"
#include "kieker_files/unpacked_bound.h"

struct archive;

namespace compmond::kieker {

// An open file as libarchive reads it. Move-only.
class Archive {
 public:
  // One that holds files, or (kXz, kBzip2) one stream of bytes. Errors as of open_file.
  static Result<Archive> open(const std::string& path, Packing packing);

  // Goes to the next file in it, or link, of which there is nothing to read; false at the end.
  // Exit::kData when it is damaged, or, here and in read, becomes too large, what was passed over
  // included (unpacked_bound.h).
  Result<bool> next();
  std::string name() const;  // of that file
  bool is_link() const { return is_link_; }
  const std::string& path() const { return path_; }
  size_t passed() const { return passed_; }  // files that it went to so far
  Result<size_t> read(char* to, size_t size);
  uint64_t packed_bytes() const;

 private:
  struct Feed;  // what libarchive takes its bytes from, where it does not read the file itself
  struct Close {
    void operator()(archive* one) const;
  };
  explicit Archive(std::string path) : path_(std::move(path)) {}
  Unexpected failed() const;
  int start();
  Result<void> pass();
  Result<bool> at_end();
  Result<void> count(size_t bytes);

  std::string path_;
  std::shared_ptr<Feed> feed_;
  std::unique_ptr<archive, Close> archive_;
  std::string name_;
  size_t passed_ = 0;
  bool in_entry_ = false, is_link_ = false;
  UnpackedBound bound_;
};

// The names of the regular files in it, in its order. Exit::kData also where there are more than
// limits::kArchiveFiles, or what it holds is too large.
Result<std::vector<std::string>> files_in(const std::string& path, Packing packing);
// The bytes of a file that is one packed stream: kXz, kBzip2.
Result<std::unique_ptr<ByteSource>> open_stream(const std::string& path, Packing packing);

// Opens files that archives hold. What lies ahead in the archive that was read last is reached from
// there: files in an archive's order take one reading of it, not one each.
class ArchiveFiles {
 public:
  // The one at that place of files_in. Exit::kNoInput when it is not there under that name,
  // Exit::kData where archives were begun anew too often, as files come against their order.
  Result<std::unique_ptr<ByteSource>> open(const std::string& path, Packing packing, size_t place,
                                           const std::string& name);

 private:
  // The archive read last, while none of its files is open.
  std::shared_ptr<std::optional<Archive>> rest_ = std::make_shared<std::optional<Archive>>();
  std::string last_;  // the archive begun last
  size_t begun_ = 0;  // how often, in a row
};

}  // namespace compmond::kieker
