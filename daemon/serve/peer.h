// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>

namespace compmond::serve {

// The user at the other end of a connected Unix socket, as of its connect().
std::optional<uid_t> peer_user(int socket);

// Whether a user may connect: root, the user whose process this is, and who invoked sudo.
bool may_connect(uid_t user);

}  // namespace compmond::serve
