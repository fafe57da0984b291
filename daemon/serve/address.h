// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"

namespace compmond::serve {

// Where --listen is to listen: a socket's path, or a host and port.
struct Address {
  std::string path;  // of a Unix socket; or
  std::string host;  // empty: the loopback address
  std::string port;  // a number, 0: any free one
};

// "/path", "./path" (anything with a '/'), "host:port", ":port", "[v6]:port", "port". Exit::kUsage
// on anything else.
Result<Address> parse_address(const std::string& text);

}  // namespace compmond::serve
