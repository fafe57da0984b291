// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace compmond {

// A new file under a temporary name in the folder of its `path`, which it takes by publish(). A
// symlink at `path` is replaced, never followed; what is neither a regular file nor a link to one
// (a device, /dev/stdout) is refused, not replaced. Mode 0644, owned by the user who invoked sudo
// where there is one. Destroyed before publish(), it is removed again.
class FreshFile {
 public:
  // Exit::kCantCreate, here and below.
  static Result<FreshFile> create(const std::string& path);
  FreshFile(FreshFile&& other) noexcept;
  FreshFile& operator=(FreshFile&& other) noexcept;
  ~FreshFile();

  // All of it, or nothing: what was written before an error is cut off again.
  Result<void> append(std::string_view data);
  uint64_t size() const { return size_; }
  Result<void> sync();
  // Takes the name `path`; the file that had it is gone. Writing may go on.
  Result<void> publish();
  // Empties it, to be written anew.
  Result<void> restart();

 private:
  FreshFile() = default;
  void remove();

  Fd folder_, file_;
  std::string path_, name_, temporary_;  // temporary_: empty once published
  uint64_t size_ = 0;
};

}  // namespace compmond
