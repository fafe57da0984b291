// SPDX-License-Identifier: Apache-2.0
#include "filehost/access_control.h"

#include "filehost/cipher.h"
#include "filehost/request.h"

namespace fh {
namespace {

constexpr int kHashRounds = 2000;  // what a password check costs, much reduced

}  // namespace

AccessControl::Rights AccessControl::check(const std::string& user, const std::string& path) {
  const Rights rights = look_up(user);
  if (rights == kGuest && path.starts_with("/private/")) {
    ++denials_;
    throw AccessDenied(user + " may not touch " + path);
  }
  return rights;
}

AccessControl::Rights AccessControl::look_up(const std::string& user) {
  Bytes salt(kHashRounds);
  const uint64_t sum = apply_key_stream(salt, key_of(user));
  if (user.starts_with("guest")) return kGuest;
  return sum % 2 == 0 ? kMember : kOwner;
}

}  // namespace fh
