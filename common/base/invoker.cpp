// SPDX-License-Identifier: Apache-2.0
#include "base/invoker.h"

#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace compmond {
namespace {

std::optional<uint32_t> number(const char* name) {
  const char* text = std::getenv(name);
  if (!text) return std::nullopt;
  uint32_t value = 0;
  const char* end = text + std::strlen(text);
  const auto [at, error] = std::from_chars(text, end, value);
  // -1 means "leave as it is" to the calls that change users.
  if (error != std::errc() || at != end || value == UINT32_MAX) return std::nullopt;
  return value;
}

}  // namespace

std::optional<Invoker> invoker() {
  const auto uid = number("SUDO_UID"), gid = number("SUDO_GID");
  if (::geteuid() != 0 || !uid || !gid || *uid == 0) return std::nullopt;
  return Invoker{*uid, *gid};
}

}  // namespace compmond
