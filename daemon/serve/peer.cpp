// SPDX-License-Identifier: Apache-2.0
#include "serve/peer.h"

#include <sys/socket.h>
#include <unistd.h>

namespace compmond::serve {

std::optional<uid_t> peer_user(int socket) {
  ucred credentials{};
  socklen_t size = sizeof credentials;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return std::nullopt;
  return credentials.uid;
}

Guests::Guests() : own_(::geteuid()), invoker_(invoker()) {}

bool Guests::admits(uid_t user) const {
  return user == 0 || user == own_ || (invoker_ && user == invoker_->uid);
}

}  // namespace compmond::serve
