// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"

namespace compmond::serve {

// Path for this process's socket: <folder>/<pid>.sock, or <pid>-2.sock and so on where others have
// that, who have the same number in another pid namespace. The folder is /run/compmond for root,
// else compmond below XDG_RUNTIME_DIR; made where it is missing, refused where others may write to
// it. Sockets of processes that are no more are removed from it, if nobody answers there: what
// answers is of another pid namespace. Exit::kCantCreate where it cannot be.
Result<std::string> own_socket_path();

// As above for a given folder.
Result<std::string> own_socket_path_in(const std::string& folder);

}  // namespace compmond::serve
