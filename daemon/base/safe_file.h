// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace compmond {

// Becomes the whole content of `path` when it is committed: written to a temporary file in the same
// folder, synced, then renamed. Until then, and for good if it is dropped or anything fails, the
// old file stays as it is. A symlink at `path` is replaced, never followed. What is neither a
// regular file nor a link to one (a device, /dev/stdout) is refused, not replaced. A new file gets
// mode 0644, owned by the user who invoked sudo where there is one.
class SafeFile {
 public:
  static Result<SafeFile> open(const std::string& path);
  SafeFile(SafeFile&&) = default;
  SafeFile& operator=(SafeFile&&) = delete;
  ~SafeFile();

  // A failure is remembered and told by commit().
  void write(std::string_view data);
  Result<void> commit();

 private:
  SafeFile() = default;
  Unexpected cannot(int err) const;

  std::string path_, name_, temporary_;
  Fd folder_, file_;
  int error_ = 0;
};

// Writes `data` as the whole content of `path`, as SafeFile does.
Result<void> write_file_whole(const std::string& path, std::string_view data);

// Reads a whole regular file of at most `limit` bytes.
Result<std::string> read_file(const std::string& path, size_t limit);

}  // namespace compmond
