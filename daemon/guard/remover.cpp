// SPDX-License-Identifier: Apache-2.0
#include "guard/remover.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guard/child.h"
#include "guard/confine.h"

namespace compmond::guard {
namespace {

[[noreturn]] void wait_and_remove(const Fd& channel, const std::vector<Remover::Name>& names) {
  become_helper("compmond-remove");
  std::vector<int> folders;
  for (const Remover::Name& name : names) folders.push_back(name.place.folder());
  if (!confine_remover(channel, folders).empty()) ::_exit(1);
  char nothing = 0;
  (void)receive_bytes(channel, &nothing, 1);  // until the other side is gone: nobody sends any
  for (const Remover::Name& name : names) {
    struct stat st {};
    const int folder = name.place.folder();
    if (::fstatat(folder, name.place.name().c_str(), &st, AT_SYMLINK_NOFOLLOW) == 0 &&
        st.st_ino == name.inode)
      ::unlinkat(folder, name.place.name().c_str(), 0);
  }
  ::_exit(0);
}

}  // namespace

Result<Remover> Remover::start(const std::vector<Name>& names) {
  auto child = start_child("cannot start a process that removes sockets in the end",
                           [&](const Fd& channel) { wait_and_remove(channel, names); });
  if (!child) return Unexpected(std::move(child.error()));
  return Remover(std::move(*child));
}

}  // namespace compmond::guard
