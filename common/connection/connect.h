// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace compmond {

// A connected, non-blocking stream socket. `address` is a socket's path (anything with a '/'),
// host:port, [v6]:port, :port or port; the host defaults to this one. Exit::kNoInput where nobody
// listens, kNoPermission where this user may not connect, kUsage where it is no address.
Result<Fd> connect_to(const std::string& address);

}  // namespace compmond
