// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"

namespace compmond {

// Where to listen, or what to connect to: a socket's path, or a host and port.
struct Address {
  std::string path;  // of a Unix socket; or
  std::string host;  // a name or number, without brackets; empty: the loopback address
  std::string port;  // a number up to 65535
};

// "/path", "./path" (anything with a '/'), "host:port", ":port", "[v6]:port", "port". Exit::kUsage
// on anything else, `what` being what cannot be done.
Result<Address> parse_address(const std::string& text, const std::string& what);

}  // namespace compmond
