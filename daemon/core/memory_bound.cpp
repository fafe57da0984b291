// SPDX-License-Identifier: Apache-2.0
#include "core/memory_bound.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/fd.h"
#include "core/limits.h"
#include "core/memory_groups.h"

namespace compmond {
namespace {

size_t page_bytes() { return size_t(::sysconf(_SC_PAGESIZE)); }

size_t least_limit_of_self() {
  MemoryGroupsNow now;
  const MemoryGroups* const groups = now.of("self");
  return groups ? groups->least_limit() : SIZE_MAX;
}

}  // namespace

MemoryBound MemoryBound::of_machine(size_t asked) {
  const size_t machine = size_t(std::max(::sysconf(_SC_PHYS_PAGES), 0L)) * page_bytes();
  const size_t allowed = std::min(machine, least_limit_of_self());
  return MemoryBound(std::min(allowed / 2, limits::kLogMemoryBytes) + asked);
}

bool MemoryBound::reached() const {
  static const Fd file(::open("/proc/self/statm", O_RDONLY | O_CLOEXEC));
  char text[128] = "";
  unsigned long resident = 0, shared = 0;  // pages
  if (::pread(file.get(), text, sizeof text - 1, 0) <= 0 ||
      std::sscanf(text, "%*u %lu %lu", &resident, &shared) != 2)
    return false;
  return (resident - std::min(resident, shared)) * page_bytes() >= bytes_;
}

}  // namespace compmond
