// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>

#include "base/invoker.h"

namespace compmond::serve {

// The user at the other end of a connected Unix socket, as of its connect().
std::optional<uid_t> peer_user(int socket);

// Who may connect: root, the user whose process this is, and who invoked sudo; as of the start,
// since a process that gives up its rights becomes another user.
class Guests {
 public:
  Guests();
  bool admits(uid_t user) const;

 private:
  uid_t own_;
  std::optional<Invoker> invoker_;
};

}  // namespace compmond::serve
