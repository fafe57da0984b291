// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kieker_files/archive.h"
#include "kieker_files/byte_source.h"

namespace compmond::kieker {

// The files of one log of Kieker: its map, and those with its records, in the order of their names.
// The log is a folder, or an archive (zip, tar) of one; its files may be packed one by one.
class LogFiles {
 public:
  // Exit::kNoInput or Exit::kNoPermission when it cannot be read, Exit::kData when it is no log.
  static Result<LogFiles> open(const std::string& path);
  // Whether a regular file of that name may be such an archive.
  static bool is_archive(std::string_view path) { return holds_files(packing_of(path)); }

  size_t count() const { return data_.size(); }
  // Of the folder and the file, for people.
  std::string shown(size_t file) const { return path_ + "/" + data_[file].name; }
  // Without what says how it is packed: ".dat", ".bin", or neither.
  std::string_view name(size_t file) const { return without_packing(data_[file].name); }
  Result<std::unique_ptr<ByteSource>> open_data(size_t file);
  uint64_t packed_bytes() const { return packed_bytes_; }  // of all of them, on disk

  // The text of kieker.map or tpmon.map; empty where there is none.
  const std::string& map() const { return map_; }
  std::string map_name() const {
    return path_ + "/" + (map_name_.empty() ? "kieker.map" : map_name_);
  }

 private:
  struct File {
    std::string name;     // below the log's path
    std::string archive;  // on disk, that holds it as `member`; empty: lies on disk itself
    std::string member;
    size_t place = 0;  // in the archive
  };
  Result<void> add_folder();
  Result<void> add_archive(const std::string& path, const std::string& below);
  Result<void> add(File file, uint64_t bytes);
  Result<std::unique_ptr<ByteSource>> open(const File& file);
  Result<void> read_map(const File& file);

  std::string path_;
  std::vector<File> data_;
  ArchiveFiles archives_;
  uint64_t packed_bytes_ = 0;
  std::string map_name_, map_;
};

}  // namespace compmond::kieker
