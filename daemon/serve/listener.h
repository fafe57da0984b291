// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "base/address.h"
#include "base/fd.h"
#include "base/fresh_file.h"
#include "base/result.h"

namespace compmond::serve {

// A listening socket, non-blocking. A Unix socket has mode 0660, belongs to the user who invoked
// sudo where there is one, and its name goes when this goes, if the folder is still ours to change.
class Listener {
 public:
  // Exit::kCantCreate where it cannot be bound, kUsage where the host is not known.
  static Result<Listener> open(const Address& address);
  Listener(Listener&& other) noexcept;
  Listener& operator=(Listener&&) = delete;
  ~Listener();

  const Fd& fd() const { return fd_; }
  bool local() const { return place_.has_value(); }  // a Unix socket
  // Where it has its name, and which file that is.
  const std::optional<FilePlace>& place() const { return place_; }
  ino_t inode() const { return inode_; }
  bool beyond_this_host() const { return beyond_; }
  // As `compmond-ui --connect` takes it, with the port that was bound.
  const std::string& address() const { return address_; }

 private:
  Listener() = default;
  static Result<Listener> open_path(const std::string& path);
  static Result<Listener> open_port(const Address& address);

  Fd fd_;
  std::string address_;
  std::optional<FilePlace> place_;
  ino_t inode_ = 0;
  bool beyond_ = false;
};

}  // namespace compmond::serve
