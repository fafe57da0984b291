// SPDX-License-Identifier: Apache-2.0
#include "guard/rights.h"

#include <sys/capability.h>
#include <sys/prctl.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "guard/call_filter.h"

namespace compmond::guard {
namespace {

constexpr const char* kWhat = "cannot give up rights that are no longer needed";

using Capabilities = std::unique_ptr<_cap_struct, int (*)(void*)>;

std::vector<cap_value_t> kept(const Needs& needs) {
  std::vector<cap_value_t> out;
  if (needs.probes) out = {CAP_BPF, CAP_PERFMON};
  if (needs.perf_events) out.push_back(CAP_SYS_ADMIN);
  if (needs.hidden_processes) out.push_back(CAP_SYS_PTRACE);
  if (needs.any_file) {
    for (const cap_value_t one : {CAP_DAC_OVERRIDE, CAP_CHOWN, CAP_FOWNER}) out.push_back(one);
  }
  return out;
}

bool drop_capabilities(const Needs& needs) {
  const Capabilities now(::cap_get_proc(), ::cap_free), then(::cap_init(), ::cap_free);
  if (!now || !then) return false;
  for (const cap_value_t one : kept(needs)) {
    cap_flag_value_t have = CAP_CLEAR;
    if (::cap_get_flag(now.get(), one, CAP_PERMITTED, &have) != 0) return false;
    for (const cap_flag_t set : {CAP_PERMITTED, CAP_EFFECTIVE})
      if (::cap_set_flag(then.get(), set, 1, &one, have) != 0) return false;
  }
  // The bounding set may be reduced only by who has CAP_SETPCAP; without exec it plays no part.
  for (cap_value_t one = 0; ::cap_get_bound(one) >= 0; ++one) (void)::cap_drop_bound(one);
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  return ::cap_set_proc(then.get()) == 0;
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
  const Capabilities now(::cap_get_proc(), ::cap_free);
  cap_flag_value_t have = CAP_CLEAR;
  return now && ::cap_get_flag(now.get(), capability, CAP_EFFECTIVE, &have) == 0 && have == CAP_SET;
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
  if (!drop_capabilities(needs)) return fail_errno(Exit::kInternal, kWhat, errno);
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return fail_errno(Exit::kInternal, kWhat, errno);
  if (const int err = filter_calls(needs); err != 0)
    return fail_errno(Exit::kUnavailable, kWhat, err,
                      "A kernel with CONFIG_SECCOMP_FILTER is needed (all distributions').");
  return {};
}

}  // namespace compmond::guard
