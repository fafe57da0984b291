// SPDX-License-Identifier: Apache-2.0
#include "target/proc_folder.h"

#include <dirent.h>
#include <sys/sysmacros.h>

#include <charconv>
#include <memory>
#include <string_view>

#include "base/safe_file.h"

namespace compmond::target {
namespace {

constexpr size_t kStatBytes = 4096, kThreadStatusBytes = 64u << 10;
constexpr size_t kMapsBytes = 64u << 20;  // vm.max_map_count is 65,530 by default: some 10 MB

struct Closer {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

Result<std::string> read_status(pid_t tid) {
  return read_file(fmt::format("/proc/{}/status", tid), kThreadStatusBytes);
}

bool has_ended(char state) { return state == 'Z' || state == 'X'; }

}  // namespace

void for_each_id(const std::string& folder, const std::function<bool(pid_t)>& visit) {
  const std::unique_ptr<DIR, Closer> entries(::opendir(folder.c_str()));
  while (const dirent* entry = entries ? ::readdir(entries.get()) : nullptr) {
    const std::string_view name = entry->d_name;
    pid_t id = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), id);
    if (error == std::errc() && end == name.data() + name.size() && !visit(id)) return;
  }
}

std::optional<Stat> read_stat(const std::string& folder) {
  const auto text = read_file(folder + "/stat", kStatBytes);
  return text ? parse_stat(*text) : std::nullopt;
}

int seccomp_mode(pid_t tid) {
  const auto status = read_status(tid);
  return status ? parse_seccomp(*status) : 0;
}

pid_t tracer_of(pid_t tid) {
  const auto status = read_status(tid);
  return status ? parse_tracer(*status) : 0;
}

pid_t live_thread(pid_t pid) {
  const std::string folder = fmt::format("/proc/{}", pid);
  const auto main = read_stat(folder);
  if (!main || !has_ended(main->state)) return pid;
  pid_t found = pid;
  for_each_id(folder + "/task", [&](pid_t thread) {
    const auto stat = read_stat(fmt::format("{}/task/{}", folder, thread));
    if (!stat || has_ended(stat->state)) return true;
    found = thread;
    return false;
  });
  return found;
}

std::string live_folder(pid_t pid) { return fmt::format("/proc/{}", live_thread(pid)); }

Result<std::string> read_maps(const std::string& folder) {
  return read_file(folder + "/maps", kMapsBytes);
}

bool same_device(uint64_t a, uint64_t b) { return a == b || major(a) == 0 || major(b) == 0; }

}  // namespace compmond::target
