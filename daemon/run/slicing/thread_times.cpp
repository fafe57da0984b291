// SPDX-License-Identifier: Apache-2.0
#include "slicing/thread_times.h"

#include <fmt/format.h>
#include <time.h>

#include <filesystem>
#include <fstream>

namespace compmond::run {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostThreads = 128;  // some 10 µs each

std::optional<uint64_t> process_ns(pid_t pid) {
  clockid_t clock;
  timespec used{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &used) != 0) return {};
  return uint64_t(used.tv_sec) * 1'000'000'000 + uint64_t(used.tv_nsec);
}

}  // namespace

std::optional<ThreadTimes> thread_times(std::span<const pid_t> processes) {
  ThreadTimes out;
  if (processes.size() > kMostThreads) return {};
  for (const pid_t pid : processes) {
    std::error_code gone;
    const std::string path = fmt::format("/proc/{}/task", pid);
    if (fs::hard_link_count(path, gone) == 3) {  // its own, its parent's, and one thread's
      if (const auto ns = process_ns(pid)) out[{pid, pid}] = *ns;
      continue;
    }
    for (fs::directory_iterator at(path, gone), end; !gone && at != end; at.increment(gone)) {
      if (out.size() >= kMostThreads) return {};
      uint64_t ns = 0;
      if (std::ifstream(at->path() / "schedstat") >> ns)
        out[{pid, pid_t(std::atoi(at->path().filename().c_str()))}] = ns;
    }
  }
  return out;
}

}  // namespace compmond::run
