// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/fd.h"
#include "base/result.h"

namespace compmond {

// A name in a folder that was looked up once: links on the way are followed then, and never again.
// Where others may exchange the folders above it, it stays in the one that was meant.
class FilePlace {
 public:
  // Exit::kCantCreate where there is no such folder.
  static Result<FilePlace> open(const std::string& path);
  FilePlace beside(const std::string& name) const;  // in the same folder

  const std::string& path() const { return path_; }
  const std::string& name() const { return name_; }
  int folder() const { return folder_->get(); }
  bool path_leads_here() const;  // at the moment

 private:
  FilePlace() = default;
  std::shared_ptr<const Fd> folder_;
  std::string path_, name_;
};

// A new file under a temporary name in the folder of its `path`, which it takes by publish(). A
// symlink at `path` is replaced, never followed; what is neither a regular file nor a link to one
// (a device, /dev/stdout) is refused, not replaced. Mode 0644, owned by the user who invoked sudo
// where there is one. Destroyed before publish(), it is removed again.
class FreshFile {
 public:
  // Exit::kCantCreate, here and below.
  static Result<FreshFile> create(const std::string& path);
  static Result<FreshFile> create(FilePlace place);
  FreshFile(FreshFile&& other) noexcept;
  FreshFile& operator=(FreshFile&& other) noexcept;
  ~FreshFile();

  // All of it, or nothing: what was written before an error is cut off again.
  Result<void> append(std::string_view data);
  uint64_t size() const { return size_; }
  Result<void> sync();
  // Takes the name `path`; the file that had it is gone. Writing may go on.
  Result<void> publish();
  // An error where nobody finds it any more.
  Result<void> check_there() const;
  // Empties it, to be written anew.
  Result<void> restart();

 private:
  explicit FreshFile(FilePlace place) : place_(std::move(place)) {}
  void remove();

  FilePlace place_;
  Fd file_;
  std::string temporary_;  // empty once published
  uint64_t size_ = 0;
};

}  // namespace compmond
