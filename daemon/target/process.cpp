// SPDX-License-Identifier: Apache-2.0
#include "target/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <ctime>

#include "base/clock.h"
#include "base/safe_file.h"
#include "target/proc_folder.h"
#include "target/proc_text.h"

namespace compmond::target {
namespace {

constexpr uint64_t kNanoseconds = 1'000'000'000;
constexpr const char* kNeedsRoot =
    "Run compmond as root (sudo), or as the user who owns the process";
constexpr const char* kStartAgain = "Start it again, or observe all its processes with --exe.";

Unexpected no_process(pid_t pid) {
  return fail(Exit::kNoInput, fmt::format("cannot observe process {}", pid),
              "there is no process with this number", "Look it up with pgrep or ps");
}

uint64_t start_of(const Stat& stat) {
  const auto ticks = uint64_t(::sysconf(_SC_CLK_TCK));
  return stat.start_ticks / ticks * kNanoseconds +
         stat.start_ticks % ticks * (kNanoseconds / ticks);
}

// The process that a thread belongs to, or 0.
pid_t process_of_thread(pid_t thread) {
  const auto status = read_file(fmt::format("/proc/{}/status", thread), 64u << 10);
  if (!status) return 0;
  const size_t at = status->find("\nTgid:");
  return at == std::string::npos ? 0 : pid_t(std::atol(status->c_str() + at + 6));
}

bool is_exhausted(int err) { return err == EMFILE || err == ENFILE; }

Unexpected pidfd_failed(pid_t pid, int err) {
  const std::string what = fmt::format("cannot observe process {}", pid);
  if (err == ENOSYS)
    return fail(Exit::kUnavailable, what, "this kernel has no pidfd_open",
                "Linux 5.3 or newer is needed");
  if (const pid_t owner = process_of_thread(pid); owner > 0 && owner != pid)
    return fail(Exit::kNoInput, what, fmt::format("{} is a thread of process {}", pid, owner),
                fmt::format("Use --pid {}", owner));
  if (err == ESRCH || err == EINVAL || err == ENOENT) return no_process(pid);
  if (is_exhausted(err)) return fail_errno(Exit::kUnavailable, what, err);
  return fail_errno(is_permission(err) ? Exit::kNoPermission : Exit::kNoInput, what, err);
}

Result<std::string> read_exe(pid_t pid, const std::string& folder) {
  char target[PATH_MAX];
  const ssize_t size = ::readlink((folder + "/exe").c_str(), target, sizeof target);
  if (size >= 0) {
    std::string path(target, size_t(size));
    strip_deleted(path);
    return path;
  }
  const int err = errno;
  const std::string what = fmt::format("cannot observe process {}", pid);
  if (is_permission(err))
    return fail(Exit::kNoPermission, what, "it belongs to another user or protects itself",
                kNeedsRoot);
  if (err == ENOENT || err == ESRCH) return no_process(pid);
  return fail_errno(Exit::kNoInput, what, err);
}

// Opens a regular file for reading; anything else is never opened, only looked at.
Fd open_regular(const std::string& path, struct stat& st) {
  const Fd place(::open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!place.valid() || ::fstat(place.get(), &st) != 0) return Fd();
  if (!S_ISREG(st.st_mode)) {
    errno = EINVAL;
    return Fd();
  }
  return Fd(::open(place.proc_path().c_str(), O_RDONLY | O_CLOEXEC));
}

// On stacked file systems stat names another inode than maps does.
bool still_maps(const std::string& folder, const Mapping& mapping) {
  const auto text = read_maps(folder);
  if (!text) return false;
  for (const Mapping& now : parse_maps(*text))
    if (now.start == mapping.start && now.end == mapping.end) return now.inode == mapping.inode;
  return false;
}

}  // namespace

Result<Process> Process::open(pid_t pid) {
  auto process = watch(pid, {});
  if (!process) return process;
  auto exe = read_exe(pid, live_folder(pid));
  if (!exe) return Unexpected(exe.error());
  process->exe_ = std::move(*exe);
  // Still alive: so all that was read belongs to the process that the pidfd pins.
  if (!process->alive()) return no_process(pid);
  return process;
}

Result<Process> Process::watch(pid_t pid, std::string exe) {
  if (pid <= 0) return no_process(pid);
  Process process;
  process.exe_ = std::move(exe);
  process.pid_ = pid;
  process.pidfd_ = Fd(int(::syscall(SYS_pidfd_open, pid, 0)));
  if (!process.pidfd_.valid()) return pidfd_failed(pid, errno);

  const std::string what = fmt::format("cannot observe process {}", pid);
  const auto stat = read_stat(fmt::format("/proc/{}", pid));
  const int err = errno;
  if (!process.alive()) {
    if (stat && stat->state == 'Z')
      return fail(Exit::kNoInput, what,
                  "it has ended already; its parent has not collected it yet (a zombie)",
                  kStartAgain);
    return no_process(pid);
  }
  if (!stat && is_exhausted(err)) return fail_errno(Exit::kUnavailable, what, err);
  if (!stat)
    return fail(Exit::kNoPermission, what, "its state below /proc cannot be read", kNeedsRoot);
  if (stat->is_kernel_thread())
    return fail(Exit::kNoInput, what,
                "it is a kernel thread (" + stat->name + ") and runs no program",
                "compmond observes user programs");
  process.name_ = stat->name;
  process.start_ns_ = start_of(*stat);
  if (!process.alive()) return no_process(pid);  // what was read may be of another one
  return process;
}

bool Process::alive() const {
  pollfd ended{pidfd_.get(), POLLIN, 0};
  return ::poll(&ended, 1, 0) != 1;
}

pid_t Process::tracer() const {
  const auto status = read_file(fmt::format("/proc/{}/status", pid_), 64u << 10);
  return status && alive() ? parse_tracer(*status) : 0;
}

bool Process::is_filtered() const { return seccomp_mode(pid_) != 0 && alive(); }

std::optional<int> Process::wait_status() const {
  // As in linux/pidfd.h, which older headers lack.
  struct PidfdInfo {
    uint64_t mask = 0, cgroup = 0;
    uint32_t pid = 0, tgid = 0, ppid = 0, users_and_groups[8] = {};
    int32_t exit_code = 0;
  };
  static_assert(sizeof(PidfdInfo) == 64);
  constexpr uint64_t kExit = 1u << 3;
  PidfdInfo info{.mask = kExit};
  if (::ioctl(pidfd_.get(), _IOWR(0xFF, 11, PidfdInfo), &info) != 0) return std::nullopt;
  return info.mask & kExit ? std::optional(info.exit_code) : std::nullopt;
}

namespace {

Result<std::string> maps_of(const Process& process) {
  auto text = read_maps(live_folder(process.pid()));
  if (!process.alive())
    return fail(Exit::kNoInput,
                fmt::format("cannot read the mappings of process {}", process.pid()),
                "it has ended");
  return text;
}

}  // namespace

Result<std::vector<Mapping>> Process::mappings() const {
  const auto text = maps_of(*this);
  if (!text) return Unexpected(text.error());
  return parse_maps(*text);
}

Result<std::vector<Mapping>> Process::code_mappings() const {
  const auto text = maps_of(*this);
  if (!text) return Unexpected(text.error());
  return parse_code_maps(*text);
}

Result<Fd> open_same_file(const std::string& path, const Mapping& mapping,
                          const std::string& what) {
  struct stat st {};
  Fd file = open_regular(path, st);
  if (!file.valid())
    return fail_errno(is_permission(errno) ? Exit::kNoPermission : Exit::kNoInput, what, errno,
                      is_permission(errno) ? kNeedsRoot : "");
  if (st.st_ino != mapping.inode || !same_device(st.st_dev, mapping.device))
    return fail(Exit::kNoInput, what,
                "another file has this name now than the one that the process runs",
                "Restart the process, or run compmond as root (sudo)");
  return file;
}

Result<Fd> Process::open_mapped(const Mapping& mapping) const {
  const std::string what = fmt::format("cannot open '{}' of process {}", mapping.path, pid_);
  const std::string folder = live_folder(pid_);
  struct stat st {};
  // This link is the mapped file itself, whatever has become of its name.
  Fd file =
      open_regular(fmt::format("{}/map_files/{:x}-{:x}", folder, mapping.start, mapping.end), st);
  if (file.valid() && (st.st_ino == mapping.inode || still_maps(folder, mapping))) return file;
  const int err = errno;
  if (mapping.deleted && !file.valid())
    return is_permission(err) ? fail(Exit::kNoPermission, what,
                                     "it was deleted, and only root may open it through /proc",
                                     "Run compmond as root (sudo)")
                              : fail_errno(Exit::kNoInput, what, err);
  return open_same_file(folder + "/root" + mapping.path, mapping, what);
}

Result<Fd> Process::open_exe() const {
  struct stat st {};
  Fd file = open_regular(live_folder(pid_) + "/exe", st);
  if (!file.valid())
    return fail_errno(is_permission(errno) ? Exit::kNoPermission : Exit::kNoInput,
                      fmt::format("cannot open the executable of process {}", pid_), errno,
                      is_permission(errno) ? kNeedsRoot : kStartAgain);
  return file;
}

std::string Process::root() const { return live_folder(pid_) + "/root"; }

// The clock of the whole process counts nanoseconds, and the threads that have ended too. Its
// number is its own as long as it lives or has not been collected.
uint64_t Process::cpu_time_ns() const {
  clockid_t clock{};
  timespec used{};
  if (::clock_getcpuclockid(pid_, &clock) != 0 || ::clock_gettime(clock, &used) != 0) return 0;
  if (alive()) return ns_of(used);
  const auto stat = read_stat(fmt::format("/proc/{}", pid_));
  return stat && start_of(*stat) == start_ns_ ? ns_of(used) : 0;
}

}  // namespace compmond::target
