// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace compmond::guard {

// Writes one file, whenever asked, with the rights that compmond had at its start: a process of its
// own keeps those that writing needs, so that compmond need not. Move-only; the process ends with
// the object, or with compmond.
class FileWriter {
 public:
  // Where `path` leads is looked up at each write, as by write_file_whole. Exit::kCantCreate where
  // nothing could be written there now; what is there stays as it is.
  static Result<FileWriter> start(const std::string& path);
  FileWriter(FileWriter&& other) noexcept;
  FileWriter& operator=(FileWriter&& other) noexcept;
  ~FileWriter();

  // `data` as the whole content of the file; errors are those of write_file_whole.
  Result<void> write(std::string_view data);

 private:
  FileWriter(pid_t pid, Fd channel) : pid_(pid), channel_(std::move(channel)) {}
  pid_t pid_ = 0;
  Fd channel_;
};

}  // namespace compmond::guard
