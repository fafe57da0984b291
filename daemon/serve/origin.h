// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>

#include <array>
#include <cstdint>

namespace compmond::serve {

// Whose a connection over a port is, as far as one can tell: its address, of IPv6 the network part,
// since a host has all the rest to itself.
using Origin = std::array<uint8_t, 16>;

Origin origin_of(const sockaddr_storage& address);

}  // namespace compmond::serve
