// SPDX-License-Identifier: Apache-2.0
#include "core/memory_bound.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>

#include "base/fd.h"
#include "core/limits.h"

namespace compmond {
namespace {

size_t page_bytes() { return size_t(::sysconf(_SC_PAGESIZE)); }

// SIZE_MAX where there is no number, as "max".
size_t number_in(const std::string& path) {
  std::string text;
  std::ifstream(path) >> text;
  size_t out = SIZE_MAX;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

// Of the group and those around it.
size_t least_of(const std::string& root, std::string path, const char* file) {
  size_t out = SIZE_MAX;
  for (;;) {
    out = std::min(out, number_in(root + path + "/" + file));
    if (path.empty()) return out;
    path.resize(path.rfind('/') == path.npos ? 0 : path.rfind('/'));
  }
}

}  // namespace

size_t group_memory(const char* groups, const char* root) {
  size_t out = SIZE_MAX;
  std::ifstream lines(groups);
  for (std::string line; std::getline(lines, line);) {  // number:controllers:path
    const size_t second = line.find(':', line.find(':') + 1);
    if (second == line.npos) continue;
    const size_t first = line.find(':');
    const std::string controllers = line.substr(first + 1, second - first - 1);
    std::string path = line.substr(second + 1);
    if (path == "/") path.clear();
    if (controllers.empty())
      out = std::min(out, least_of(root, path, "memory.max"));
    else if (("," + controllers + ",").find(",memory,") != std::string::npos)
      out = std::min(out, least_of(root + std::string("/memory"), path, "memory.limit_in_bytes"));
  }
  return out;
}

MemoryBound MemoryBound::of_machine(size_t asked) {
  const size_t machine = size_t(std::max(::sysconf(_SC_PHYS_PAGES), 0L)) * page_bytes();
  const size_t allowed = std::min(machine, group_memory("/proc/self/cgroup", "/sys/fs/cgroup"));
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
