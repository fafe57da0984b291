// SPDX-License-Identifier: Apache-2.0
#include "core/memory_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <climits>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>

#include "base/safe_file.h"

namespace compmond {
namespace {

// What the two versions of control groups call the same.
struct Names {
  std::vector<std::string_view> limits;
  std::string_view usage, idle_files, dirty, written;  // the last three in memory.stat
};
const Names kFirst{{"memory.limit_in_bytes"},
                   "memory.usage_in_bytes",
                   "total_inactive_file",
                   "total_dirty",
                   "total_writeback"};
const Names kSecond{{"memory.max", "memory.high"},
                    "memory.current",
                    "inactive_file",
                    "file_dirty",
                    "file_writeback"};

struct Mount {
  std::string root;    // what of the hierarchy is mounted
  std::string folder;  // where
};

bool lists(std::string_view list, std::string_view word) {
  return ("," + std::string(list) + ",").find("," + std::string(word) + ",") != std::string::npos;
}

// The first of this type, with this option.
std::optional<Mount> find_mount(const std::string& mounts, std::string_view type,
                                std::string_view option) {
  std::istringstream lines(mounts);
  for (std::string line; std::getline(lines, line);) {
    // number parent device root folder options … - type source options
    const size_t middle = line.find(" - ");
    if (middle == line.npos) continue;
    std::istringstream before(line.substr(0, middle)), after(line.substr(middle + 3));
    std::string skipped, its_type, its_options;
    Mount out;
    before >> skipped >> skipped >> skipped >> out.root >> out.folder;
    after >> its_type >> skipped >> its_options;
    if (its_type == type && (option.empty() || lists(its_options, option))) return out;
  }
  return std::nullopt;
}

// None where there is no such file, or no number in it, as "max".
std::optional<uint64_t> number_in(const std::string& path) {
  constexpr uint64_t kUnlimited = uint64_t(1) << 62;  // the first version has a number for it
  std::string text;
  std::ifstream(path) >> text;
  uint64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && out < kUnlimited ? std::optional(out) : std::nullopt;
}

uint64_t statistic(const std::string& folder, std::string_view name) {
  std::ifstream file(folder + "/memory.stat");
  std::string key;
  for (uint64_t value = 0; file >> key >> value;)
    if (key == name) return value;
  return 0;
}

// Of the files in memory only what was not used for long, and is on disk already, goes without
// harm.
uint64_t free_at_once(const std::string& folder, const Names& names) {
  const uint64_t idle = statistic(folder, names.idle_files);
  const uint64_t busy = statistic(folder, names.dirty) + statistic(folder, names.written);
  return idle - std::min(idle, busy);
}

std::optional<uint64_t> limit_of(const std::string& folder, const Names& names) {
  std::optional<uint64_t> out;
  for (const std::string_view name : names.limits)
    if (const auto one = number_in(folder + "/" + std::string(name)))
      out = std::min(out.value_or(UINT64_MAX), *one);
  return out;
}

uint64_t room_of(const std::string& folder, const Names& names, uint64_t limit) {
  const uint64_t usage = number_in(folder + "/" + std::string(names.usage)).value_or(0);
  const uint64_t used = usage - std::min(usage, free_at_once(folder, names));
  return limit - std::min(limit, used);
}

// The group at `path` and those around it, as far as they are mounted.
void add_groups(const std::string& root, const Mount& mount, std::string path, const Names& names,
                MemoryGroups& out) {
  if (path == "/") path.clear();
  const std::string above = mount.root == "/" ? "" : mount.root;
  const bool below = path == above || path.starts_with(above + "/");
  const std::string base = root + mount.folder;
  std::error_code unseen;
  if (!below || path.starts_with("/..") ||
      !std::filesystem::exists(base + path.substr(above.size()), unseen)) {
    out.known = false;
    return;
  }
  for (;;) {
    const std::string folder = base + path.substr(above.size());
    if (const auto limit = limit_of(folder, names))
      out.limited.push_back(
          {folder, path.empty() ? "/" : path, *limit, room_of(folder, names, *limit)});
    if (path.size() <= above.size()) return;
    path.resize(path.rfind('/'));
  }
}

// Empty where it is not to be read, as when its process ends meanwhile.
std::string text_of(const std::string& path) {
  constexpr size_t kMost = 16u << 20;  // mounts may be many
  return read_file(path, kMost).value_or("");
}

}  // namespace

std::string MemoryGroup::text() const {
  return name.empty() ? "the machine" : fmt::format("memory group '{}'", name);
}

uint64_t MemoryGroups::least_limit() const {
  uint64_t out = UINT64_MAX;
  for (const MemoryGroup& group : limited) out = std::min(out, group.limit);
  return out;
}

MemoryGroups memory_groups(const std::string& groups, const std::string& mounts,
                           const std::string& root) {
  MemoryGroups out;
  const auto first = find_mount(mounts, "cgroup", "memory");
  const auto second = find_mount(mounts, "cgroup2", "");
  std::istringstream lines(groups);
  for (std::string line; std::getline(lines, line);) {  // number:controllers:path
    const size_t colon = line.find(':');
    const size_t next = colon == line.npos ? line.npos : line.find(':', colon + 1);
    if (next == line.npos) continue;
    const std::string controllers = line.substr(colon + 1, next - colon - 1);
    const bool is_first = lists(controllers, "memory");
    if (!is_first && !controllers.empty()) continue;
    if (const auto& mount = is_first ? first : second)
      add_groups(root, *mount, line.substr(next + 1), is_first ? kFirst : kSecond, out);
    else
      out.known = false;
  }
  return out;
}

MemoryGroupsNow::MemoryGroupsNow()
    : mounts_(text_of("/proc/self/mountinfo")), machine_(memory_of_machine()) {}

const MemoryGroups* MemoryGroupsNow::of(const std::string& process) {
  const std::string groups = text_of("/proc/" + process + "/cgroup");
  if (groups.empty()) return nullptr;
  const auto [found, fresh] = known_.try_emplace(groups);
  if (fresh) found->second = memory_groups(groups, mounts_);
  return &found->second;
}

std::optional<MemoryGroup> memory_of_machine(const std::string& root) {
  constexpr uint64_t kUnit = 1024;
  std::ifstream file(root + "/proc/meminfo");
  MemoryGroup out;
  bool known = false;
  std::string key;
  for (uint64_t value = 0; file >> key >> value; file.ignore(INT_MAX, '\n')) {
    if (key == "MemTotal:") out.limit = value * kUnit;
    if (key == "MemAvailable:") out.room = value * kUnit;
    known |= key == "MemAvailable:";
  }
  return known ? std::optional(out) : std::nullopt;
}

}  // namespace compmond
