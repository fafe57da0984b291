// SPDX-License-Identifier: Apache-2.0
#include "uprobe/link.h"

#include <bpf/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "bpf_engine/uprobe_event.h"

namespace compmond::uprobe {
namespace {

// union bpf_attr's link_create with its uprobe_multi member: newer than Debian 12's headers, stable
// kernel interface.
struct LinkCreateMulti {
  uint32_t prog_fd, target_fd, attach_type, flags;
  uint64_t path, offsets, ref_ctr_offsets, cookies;
  uint32_t cnt, multi_flags, pid, pad;
};
constexpr int kLinkCreate = 28;
constexpr uint32_t kAtReturn = 1;

}  // namespace

Fd link_multi(int program, MultiType type, const std::string& path, const Places& places,
              bool at_return, pid_t pid) {
  LinkCreateMulti attr{};
  attr.prog_fd = uint32_t(program);
  attr.attach_type = uint32_t(type);
  attr.path = reinterpret_cast<uint64_t>(path.c_str());
  attr.offsets = reinterpret_cast<uint64_t>(places.offsets.data());
  attr.cookies = reinterpret_cast<uint64_t>(places.cookies.data());
  attr.cnt = uint32_t(places.offsets.size());
  attr.multi_flags = at_return ? kAtReturn : 0;
  attr.pid = uint32_t(pid);
  return Fd(int(::syscall(SYS_bpf, kLinkCreate, &attr, sizeof attr)));
}

// The kernels that do (6.10, and stable ones) refuse a negative number before they look at the
// file; others say first that a folder is none.
bool multi_sees_all_threads(int program) {
  const Fd link = link_multi(program, MultiType::kMulti, "/", {{0}, {0}}, false, -1);
  return !link.valid() && errno == EINVAL;
}

bool link_per_symbol(int program, const std::string& path, const Places& places, bool at_return,
                     pid_t pid, std::vector<Fd>& out) {
  const size_t before = out.size();
  for (size_t i = 0; i < places.offsets.size(); ++i) {
    Fd event = bpf_engine::open_uprobe_event(path, places.offsets[i], at_return, pid);
    bpf_link_create_opts options{};
    options.sz = sizeof options;
    options.perf_event.bpf_cookie = places.cookies[i];
    Fd link;
    if (event.valid()) {
      const int fd = bpf_link_create(program, event.get(), BPF_PERF_EVENT, &options);
      if (fd < 0) errno = -fd;
      link.reset(fd < 0 ? -1 : fd);
    }
    if (!link.valid()) {
      const int err = errno;
      out.erase(out.begin() + long(before), out.end());
      errno = err;
      return false;
    }
    out.push_back(std::move(link));
    out.push_back(std::move(event));
  }
  return true;
}

}  // namespace compmond::uprobe
