// SPDX-License-Identifier: Apache-2.0
#include "guard/rights.h"

#include <sys/capability.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "guard/call_filter.h"
#include "guard/child.h"
#include "guard/landlock.h"

namespace compmond::guard {
namespace {

constexpr const char* kWhat = "cannot give up rights that are no longer needed";

std::vector<int> kept(const Needs& needs) {
  std::vector<int> out;
  if (needs.probes) out = {CAP_BPF, CAP_PERFMON};
  if (needs.perf_events) out.push_back(CAP_SYS_ADMIN);
  if (needs.hidden_processes) out.push_back(CAP_SYS_PTRACE);
  return out;
}

bool single_threaded() {
  std::error_code failed;
  size_t threads = 0;
  for (auto entry = std::filesystem::directory_iterator("/proc/self/task", failed);
       !failed && entry != std::filesystem::directory_iterator(); entry.increment(failed))
    ++threads;
  return threads == 1;
}

}  // namespace

bool holds(int capability) {
  const std::unique_ptr<_cap_struct, int (*)(void*)> now(::cap_get_proc(), ::cap_free);
  cap_flag_value_t have = CAP_CLEAR;
  return now && ::cap_get_flag(now.get(), capability, CAP_EFFECTIVE, &have) == 0 && have == CAP_SET;
}

bool can_be_nobody() {
  std::ifstream users("/proc/self/uid_map");  // first here, first outside, how many
  for (uint64_t first = 0, outside = 0, count = 0; users >> first >> outside >> count;)
    if (kNobody >= first && kNobody - first < count) return holds(CAP_SETUID) && holds(CAP_SETGID);
  return false;
}

bool processes_are_hidden() {
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);)
    if (line.find(" /proc ") != std::string::npos && line.find("hidepid=") != std::string::npos &&
        line.find("hidepid=0") == std::string::npos &&
        line.find("hidepid=off") == std::string::npos)
      return true;
  return false;
}

Result<void> give_up_rights(const Needs& needs) {
  if (!single_threaded())
    return fail(Exit::kInternal, kWhat, "another thread runs already and would keep them");
  if (const auto why = become_nobody_but(kept(needs)); !why.empty())
    return fail(Exit::kInternal, kWhat, why);
  // The other means hold without it. A process that renounced sees no more of others than their
  // names.
  if (!needs.hidden_processes) (void)renounce_changes();
  if (const int err = filter_calls(needs); err != 0)
    return fail_errno(Exit::kUnavailable, kWhat, err,
                      "A kernel with CONFIG_SECCOMP_FILTER is needed (all distributions').");
  return {};
}

}  // namespace compmond::guard
