// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "guard/channel.h"

namespace compmond::guard {

// Writes one file, whenever asked, with the rights that compmond had at its start: a process of its
// own keeps those that writing needs, so that compmond need not. Move-only; the process ends with
// the object, or with compmond.
class FileWriter {
 public:
  // The folder of `path` is looked up now, and never again: whoever exchanges it, or one above it,
  // leads no file elsewhere. Exit::kCantCreate where nothing could be written there now; what is
  // there stays as it is.
  static Result<FileWriter> start(const std::string& path);

  // `data` as the whole content of the file; errors are those of write_file_whole, and that the
  // path does not lead to it any more.
  Result<void> write(std::string_view data);

 private:
  explicit FileWriter(Child writer) : writer_(std::move(writer)) {}
  Child writer_;
};

}  // namespace compmond::guard
