// SPDX-License-Identifier: Apache-2.0
#include "hindrance/hindrances.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/fd.h"
#include "bpf_engine/load_error.h"
#include "hindered.skel.h"
#include "hindrance/bpf/thread.h"

namespace compmond::hindrance {

struct Hindrances::Impl {
  hindered_bpf* skeleton = nullptr;
  ~Impl() { hindered_bpf::destroy(skeleton); }
  // Of the threads as they are when it is read.
  Fd list() const { return Fd(bpf_iter_create(bpf_link__fd(skeleton->links.list_hindered))); }
};

Hindrances::Hindrances(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Hindrances::Hindrances(Hindrances&&) noexcept = default;
Hindrances& Hindrances::operator=(Hindrances&&) noexcept = default;
Hindrances::~Hindrances() = default;

Result<Hindrances> Hindrances::open(Filters filters) {
  const auto cannot = [](int err) {
    return bpf_engine::load_error("cannot ask the kernel who takes system calls of processes", err,
                                  "`compmond doctor` tells what this kernel lacks.");
  };
  bpf_engine::listen_to_libbpf();
  auto impl = std::make_unique<Impl>();
  impl->skeleton = hindered_bpf::open();
  if (!impl->skeleton) return cannot(errno);
  impl->skeleton->rodata->filters_apply = filters != Filters::kPassed;
  if (const int err = hindered_bpf::load(impl->skeleton); err != 0) return cannot(-err);
  if (const int err = hindered_bpf::attach(impl->skeleton); err != 0) return cannot(-err);
  if (const Fd list = impl->list(); !list.valid()) return cannot(errno);
  return Hindrances(std::move(impl));
}

std::map<pid_t, std::string> Hindrances::of(std::span<const pid_t> processes) const {
  std::map<pid_t, std::string> out;
  const Fd list = impl_->list();
  std::string bytes;
  char part[4096];
  while (list.valid()) {
    const ssize_t got = ::read(list.get(), part, sizeof part);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) break;
    bytes.append(part, size_t(got));
  }
  cm_hindered one;
  for (size_t at = 0; at + sizeof one <= bytes.size(); at += sizeof one) {
    std::memcpy(&one, bytes.data() + at, sizeof one);
    if (std::ranges::find(processes, one.pid) == processes.end()) continue;
    if (one.dispatched)
      out[one.pid] = fmt::format(
          "process {} has its system calls dispatched to itself (PR_SET_SYSCALL_USER_DISPATCH), "
          "those of probes too",
          one.pid);
    else if (one.tracer != 0 && one.tracer != ::getpid())
      out.try_emplace(one.pid, traced_by(one.pid, one.tracer));
    else if (one.filtered)
      out.try_emplace(one.pid, filtered(one.pid));
  }
  return out;
}

std::string traced_by(pid_t process, pid_t tracer) {
  return fmt::format(
      "process {} is traced by process {}, which may not let system calls of probes pass", process,
      tracer);
}

std::string filtered(pid_t process) {
  return fmt::format(
      "process {} has a system call filter (seccomp), to which this kernel shows those of probes",
      process);
}

}  // namespace compmond::hindrance
