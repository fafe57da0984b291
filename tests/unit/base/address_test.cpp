// SPDX-License-Identifier: Apache-2.0
#include "base/address.h"

#include <doctest/doctest.h>

#include <tuple>

using namespace compmond;

TEST_CASE("address: a path, a host and port, or a port of this host") {
  const auto is = [](const char* text, const char* path, const char* host, const char* port) {
    const auto address = parse_address(text, "cannot go there");
    REQUIRE(address);
    CHECK(std::tie(address->path, address->host, address->port) ==
          std::tuple<std::string, std::string, std::string>(path, host, port));
  };
  is("/run/x.sock", "/run/x.sock", "", "");
  is("./x", "./x", "", "");
  is(":7070", "", "", "7070");
  is("7070", "", "", "7070");
  is("box:0", "", "box", "0");
  is("[::1]:80", "", "::1", "80");
}

TEST_CASE("address: anything else is an error that says what cannot be done") {
  for (const char* wrong : {"", ":", "box", "box:", "box:x", "::1", "a:b:1", ":65536", ":-1",
                            "[]:1", "[::1:1", "::1]:1", "[[::1]]:1"}) {
    const auto address = parse_address(wrong, "cannot go there");
    REQUIRE_FALSE(address);
    CHECK(address.error().code == Exit::kUsage);
    CHECK(address.error().text().starts_with("cannot go there: '"));
  }
}
