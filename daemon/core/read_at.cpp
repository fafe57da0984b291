// SPDX-License-Identifier: Apache-2.0
#include "core/read_at.h"

#include <unistd.h>

#include <cerrno>

namespace compmond {

size_t read_at(int file, void* to, size_t size, uint64_t offset) {
  size_t done = 0;
  while (done < size) {
    const ssize_t got =
        ::pread(file, static_cast<char*>(to) + done, size - done, off_t(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += size_t(got);
  }
  return done;
}

}  // namespace compmond
