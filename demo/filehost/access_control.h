// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string>

namespace fh {

// Decides who may do what. A denial is an exception, which crosses the frames of whoever asked.
class AccessControl {
 public:
  enum Rights { kGuest, kMember, kOwner };

  // in; throws AccessDenied
  Rights check(const std::string& user, const std::string& path);
  uint64_t denials() const { return denials_; }

 private:
  // out: to the user directory
  Rights look_up(const std::string& user);

  std::atomic<uint64_t> denials_{0};
};

}  // namespace fh
