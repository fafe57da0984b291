// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>
#include <unistd.h>

#include <map>

#include "target/proc_folder.h"
#include "target/process.h"

namespace compmond::target {
namespace {

bool maps_file(std::string_view maps, uint64_t device, uint64_t inode) {
  const std::string needle = fmt::format(" {} ", inode);
  for (size_t at = maps.find(needle); at != maps.npos; at = maps.find(needle, at + 1)) {
    const size_t start = maps.rfind('\n', at) + 1;  // npos + 1 is 0
    const auto mapping = parse_mapping(maps.substr(start, maps.find('\n', at) - start));
    if (mapping && mapping->executable && mapping->inode == inode &&
        same_device(mapping->device, device))
      return true;
  }
  return false;
}

}  // namespace

std::vector<pid_t> processes_of(uint64_t device, uint64_t inode) {
  std::vector<pid_t> found;
  for_each_id("/proc", [&](pid_t pid) {
    struct stat st {};
    if (::stat((live_folder(pid) + "/exe").c_str(), &st) == 0 && st.st_ino == inode &&
        same_device(st.st_dev, device))
      found.push_back(pid);
    return true;
  });
  return found;
}

std::vector<pid_t> processes_mapping(uint64_t device, uint64_t inode) {
  std::vector<pid_t> found;
  const pid_t self = ::getpid();
  for_each_id("/proc", [&](pid_t pid) {
    if (pid == self) return true;
    const auto maps = read_maps(live_folder(pid));
    if (maps && maps_file(*maps, device, inode)) found.push_back(pid);
    return true;
  });
  return found;
}

std::vector<pid_t> descendants(pid_t pid) {
  std::multimap<pid_t, pid_t> children;
  for_each_id("/proc", [&](pid_t candidate) {
    const auto stat = read_stat(fmt::format("/proc/{}", candidate));
    if (!stat) return true;
    // A zombie's children belong to others already, unless only its main thread has ended.
    const bool ended =
        stat->state == 'Z' && live_folder(candidate) == fmt::format("/proc/{}", candidate);
    if (!ended) children.emplace(stat->parent, candidate);
    return true;
  });
  std::vector<pid_t> found{pid};
  for (size_t i = 0; i < found.size(); ++i) {
    const auto [begin, end] = children.equal_range(found[i]);
    for (auto child = begin; child != end; ++child) found.push_back(child->second);
  }
  found.erase(found.begin());
  return found;
}

}  // namespace compmond::target
