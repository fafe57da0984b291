// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <optional>
#include <string>

#include "base/result.h"

namespace compmond::spec {

// Whether a process of user `euid` may let the file decide what it attaches to. Only root is
// careful: the file must belong to root or to `invoker` (the user behind sudo) and be writable by
// its owner alone.
Result<void> check_trust(const struct stat& file, uid_t euid, std::optional<uid_t> invoker,
                         const std::string& path);

}  // namespace compmond::spec
