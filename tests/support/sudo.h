// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>

namespace compmond::test {

// Plays sudo; the environment is as before afterwards.
struct Sudo {
  Sudo(const char* uid, const char* gid) {
    ::setenv("SUDO_UID", uid, 1);
    ::setenv("SUDO_GID", gid, 1);
  }
  ~Sudo() {
    ::unsetenv("SUDO_UID");
    ::unsetenv("SUDO_GID");
  }
};

}  // namespace compmond::test
