// SPDX-License-Identifier: Apache-2.0
#include "mapped_code/cpus.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "base/safe_file.h"

namespace compmond::sampler {
namespace {

Unexpected cannot_open(const char* what, int err) {
  if (is_permission(err)) {
    const auto level = read_file("/proc/sys/kernel/perf_event_paranoid", 64);
    const std::string set = level ? " is " + level->substr(0, level->find('\n')) : "";
    return fail(Exit::kNoPermission, what, "kernel.perf_event_paranoid" + set,
                remedy_at(level ? std::atoi(level->c_str()) : 0));
  }
  return fail_errno(Exit::kUnavailable, what, err);
}

}  // namespace

const char* remedy_at(int paranoid) {
  return paranoid > 2
             ? "Run as root (sudo), or set it to 2 and give the program CAP_PERFMON: above "
               "2 Debian's kernel asks for CAP_SYS_ADMIN."
             : "Run as root (sudo), or give the program CAP_PERFMON.";
}

Result<void> open_on_cpus(const perf_event_attr& attributes, const char* what,
                          const std::function<Result<void>(unsigned cpu, Fd event)>& take) {
  const long cpus = ::sysconf(_SC_NPROCESSORS_CONF);
  perf_event_attr mine = attributes;  // the kernel writes to it
  for (long cpu = 0; cpu < cpus; ++cpu) {
    Fd event(int(::syscall(SYS_perf_event_open, &mine, -1, int(cpu), -1, PERF_FLAG_FD_CLOEXEC)));
    if (!event.valid() && errno == ENODEV) continue;  // not online
    if (!event.valid()) return cannot_open(what, errno);
    if (auto taken = take(unsigned(cpu), std::move(event)); !taken) return taken;
  }
  return {};
}

}  // namespace compmond::sampler
