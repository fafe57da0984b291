// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>

namespace compmond {

struct Invoker {
  uid_t uid = 0;
  gid_t gid = 0;
};

// The user who had root start this process through sudo (SUDO_UID, SUDO_GID); none where this is
// not root, where there was no sudo, or where root itself called it.
std::optional<Invoker> invoker();

}  // namespace compmond
