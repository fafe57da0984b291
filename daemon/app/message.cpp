// SPDX-License-Identifier: Apache-2.0
#include "app/message.h"

#include <cstdio>

namespace compmond::app {

void say(const std::string& text) {
  fmt::print(stderr, "compmond: {}\n", text);
  std::fflush(stderr);
}

int report(const Error& error) {
  say(error.what + (error.why.empty() ? "" : ": " + error.why));
  if (!error.next.empty()) fmt::print(stderr, "  → {}\n", error.next);
  std::fflush(stderr);
  return int(error.code);
}

}  // namespace compmond::app
