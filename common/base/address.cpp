// SPDX-License-Identifier: Apache-2.0
#include "base/address.h"

#include <algorithm>
#include <cstdlib>

namespace compmond {

Result<Address> parse_address(const std::string& text, const std::string& what) {
  if (text.find('/') != std::string::npos) return Address{text, "", ""};
  const size_t colon = text.rfind(':');
  std::string host = colon == std::string::npos ? "" : text.substr(0, colon);
  const std::string port = colon == std::string::npos ? text : text.substr(colon + 1);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  const bool number = !port.empty() && port.size() <= 5 &&
                      std::ranges::all_of(port, [](char c) { return c >= '0' && c <= '9'; }) &&
                      std::atoi(port.c_str()) <= 65535;
  const bool host_fine = host.find_first_of(bracketed ? "[]" : ":[]") == std::string::npos;
  if (number && host_fine) return Address{"", host, port};
  return fail(Exit::kUsage, what, "'" + text + "' is no address",
              "Give a socket's path with a '/', host:port, or :port for this host only.");
}

}  // namespace compmond
