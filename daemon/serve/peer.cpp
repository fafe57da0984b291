// SPDX-License-Identifier: Apache-2.0
#include "serve/peer.h"

#include <sys/socket.h>
#include <unistd.h>

#include "base/invoker.h"

namespace compmond::serve {

std::optional<uid_t> peer_user(int socket) {
  ucred credentials{};
  socklen_t size = sizeof credentials;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return std::nullopt;
  return credentials.uid;
}

bool may_connect(uid_t user) {
  const auto by = invoker();
  return user == 0 || user == ::geteuid() || (by && user == by->uid);
}

}  // namespace compmond::serve
