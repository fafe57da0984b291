// SPDX-License-Identifier: Apache-2.0
#include "mapped_code/perf_maps.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <optional>

#include "base/clock.h"
#include "base/safe_file.h"
#include "core/limits.h"
#include "target/process.h"

namespace compmond::sampler {
namespace {

constexpr uint64_t kLookNs = 1'000'000'000;
constexpr int64_t kClocksDiffer = 2;  // seconds: those of files and of processes are coarse
constexpr size_t kStatusBytes = 64u << 10;
constexpr size_t kNotesEach = 8;  // then they are counted

// What lies right in the folder, and is no link.
Fd open_in(int folder, const char* name, int flags) {
  return Fd(::openat(folder, name, flags | O_NOFOLLOW | O_CLOEXEC));
}

Fd open_tmp_below(const std::string& root) {
  const Fd folder(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  return folder.valid() ? open_in(folder.get(), "tmp", O_PATH | O_DIRECTORY) : Fd();
}

std::pair<uint64_t, uint64_t> identity_of(const Fd& file) {
  struct stat st {};
  if (!file.valid() || ::fstat(file.get(), &st) != 0) return {};
  return {st.st_dev, st.st_ino};
}

int64_t realtime_s(uint64_t boottime_ns) {
  timespec boot{};
  ::clock_gettime(CLOCK_BOOTTIME, &boot);
  return int64_t(std::time(nullptr)) - int64_t((ns_of(boot) - boottime_ns) / 1'000'000'000);
}

}  // namespace

Fd open_tmp_of(pid_t pid) {
  const auto process = target::Process::watch(pid, {});
  return process ? open_tmp_below(process->root()) : Fd();
}

Result<Fd> open_perf_map(int tmp, const target::Identity& process, int64_t began_s) {
  const std::string name = fmt::format("perf-{}.map", process.own_pid);
  const auto refused = [&](const std::string& why) {
    return fail(Exit::kData, fmt::format("'/tmp/{}' names no code", name), why);
  };
  Fd file = open_in(tmp, name.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY);
  struct stat st {};
  if (!file.valid() && errno == ENOENT) return file;
  if (!file.valid() || ::fstat(file.get(), &st) != 0)
    return refused(errno == ELOOP ? "it is a link" : std::strerror(errno));
  if (!S_ISREG(st.st_mode) || st.st_nlink != 1)
    return refused("it is no file, or one of elsewhere");
  if (st.st_uid != process.user)
    return refused(
        fmt::format("it belongs to user {}, and the process to {}", st.st_uid, process.user));
  if (st.st_mtime + kClocksDiffer < began_s) return refused("it is older than the process");
  return file;
}

Result<Fd> PerfMaps::open_perf_map_of(pid_t pid, const Fd& tmp) {
  const auto process = target::Process::watch(pid, {});
  const auto status = read_file(fmt::format("/proc/{}/status", pid), kStatusBytes);
  const auto identity = status ? target::parse_identity(*status) : std::nullopt;
  if (!process || !identity || !process->alive()) return Fd();
  const int64_t began = realtime_s(process->start_ns());
  if (tmp.valid()) return open_perf_map(tmp.get(), *identity, began);
  if (const Fd its = open_tmp_below(process->root()); its.valid())
    return open_perf_map(its.get(), *identity, began);
  // Its root is not for us: ours may be the same, where it has the pid that it has for us.
  const Fd ours = open_tmp_below("/");
  if (!ours.valid() || identity->namespaces > 1) return Fd();
  return open_perf_map(ours.get(), *identity, began);
}

PerfMaps::PerfMaps(Open open) : open_(std::move(open)) {}

void PerfMaps::remember(pid_t pid) {
  Fd tmp = open_tmp_of(pid);
  if (!tmp.valid()) return;
  const Identity identity = identity_of(tmp);
  const std::lock_guard lock(mutex_);
  std::weak_ptr<const Fd>& kept = folders_[identity];
  auto folder = kept.lock();
  if (!folder) kept = folder = std::make_shared<const Fd>(std::move(tmp));
  processes_[uint32_t(pid)].tmp = std::move(folder);
}

void PerfMaps::makes_code(uint32_t pid) {
  const std::lock_guard lock(mutex_);
  processes_[pid].makes_code = true;
}

void PerfMaps::fork(uint32_t parent, uint32_t child) {
  const std::lock_guard lock(mutex_);
  const auto from = processes_.find(parent);
  if (from == processes_.end()) return;
  Process inherited;
  inherited.tmp = from->second.tmp;
  inherited.makes_code = from->second.makes_code;
  processes_.insert_or_assign(child, std::move(inherited));
}

void PerfMaps::executed(uint32_t pid) {
  const std::lock_guard lock(mutex_);
  const auto it = processes_.find(pid);
  if (it == processes_.end()) return;
  open_files_ -= it->second.file != Identity();
  Process anew;
  anew.tmp = it->second.tmp;
  it->second = std::move(anew);
}

void PerfMaps::forget(uint32_t pid) {
  executed(pid);
  const std::lock_guard lock(mutex_);
  processes_.erase(pid);
}

void PerfMaps::refuse(Process& process, std::string why) {
  if (std::exchange(process.refused, true)) return;
  if (notes_.size() < kNotesEach)
    notes_.push_back(std::move(why));
  else
    ++more_notes_;
}

Fd PerfMaps::look(uint32_t pid, uint64_t now_ns) {
  const std::lock_guard lock(mutex_);
  const auto it = processes_.find(pid);
  if (it == processes_.end() || !it->second.makes_code || now_ns < it->second.next_ns) return Fd();
  Process& process = it->second;
  process.next_ns = now_ns + kLookNs;
  const Fd none;
  auto file = open_(pid_t(pid), process.tmp ? *process.tmp : none);
  if (!file) {
    refuse(process, file.error().text());
    return Fd();
  }
  const Identity identity = identity_of(*file);
  if (identity == Identity() || identity == process.file) return Fd();
  if (process.file == Identity() && ++open_files_ > limits::kPerfMaps) {
    --open_files_;
    refuse(process, fmt::format("code that process {} makes is not named: there are {} such", pid,
                                limits::kPerfMaps));
    return Fd();
  }
  process.file = identity;
  return std::move(*file);
}

std::vector<std::string> PerfMaps::notes() const {
  const std::lock_guard lock(mutex_);
  auto out = notes_;
  if (more_notes_ > 0) out.push_back(fmt::format("{} more perf maps likewise", more_notes_));
  return out;
}

}  // namespace compmond::sampler
