// SPDX-License-Identifier: Apache-2.0
#include "serve/origin.h"

#include <netinet/in.h>

#include <cstring>

namespace compmond::serve {

Origin origin_of(const sockaddr_storage& address) {
  constexpr size_t kNetworkBytes = 8;
  Origin out{};
  if (address.ss_family == AF_INET) {
    const in_addr v4 = reinterpret_cast<const sockaddr_in&>(address).sin_addr;
    out[10] = out[11] = 0xff;  // as IPv6 has it
    std::memcpy(&out[12], &v4, sizeof v4);
  } else {
    const in6_addr& v6 = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
    std::memcpy(out.data(), &v6, IN6_IS_ADDR_V4MAPPED(&v6) ? out.size() : kNetworkBytes);
  }
  return out;
}

}  // namespace compmond::serve
