// SPDX-License-Identifier: Apache-2.0
#include "guard/landlock.h"

#include <linux/landlock.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "base/fd.h"

namespace compmond::guard {
namespace {

// As of version 7; Debian 12's header knows version 2. Kernels take a longer one whose end is 0.
struct Ruleset {
  uint64_t files = 0;
  uint64_t ports = 0;   // from version 4
  uint64_t scoped = 0;  // from version 6
};
constexpr uint64_t kTruncate = 1u << 14;  // from version 3
constexpr uint64_t kDevices = 1u << 15;   // ioctl, from version 5
constexpr uint64_t kPorts = 3;            // bind, connect
constexpr uint64_t kScopes = 3;           // abstract Unix sockets, signals

constexpr uint64_t kWriting =
    LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG;
constexpr uint64_t kChanges =
    kWriting | LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
    LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_SOCK |
    LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;

Ruleset rules_of(int version) {
  Ruleset out;
  out.files = kChanges;
  if (version >= 2) out.files |= LANDLOCK_ACCESS_FS_REFER;
  if (version >= 3) out.files |= kTruncate;
  if (version >= 4) out.ports = kPorts;
  if (version >= 5) out.files |= kDevices;
  if (version >= 6) out.scoped = kScopes;
  return out;
}

int allow_writing_below(int ruleset, int folder, const Ruleset& rules) {
  landlock_path_beneath_attr below{};
  below.allowed_access = (kWriting | kTruncate) & rules.files;
  below.parent_fd = folder;
  const long added =
      ::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &below, 0);
  return added == 0 ? 0 : errno;
}

}  // namespace

int landlock_version() {
  const long version =
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return int(std::max(version, 0l));
}

int renounce_changes(std::span<const int> except) {
  const Ruleset rules = rules_of(landlock_version());
  const Fd ruleset(int(::syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0)));
  if (!ruleset.valid()) return errno;
  for (const int folder : except)
    if (const int err = allow_writing_below(ruleset.get(), folder, rules); err != 0) return err;
  return ::syscall(SYS_landlock_restrict_self, ruleset.get(), 0) == 0 ? 0 : errno;
}

}  // namespace compmond::guard
