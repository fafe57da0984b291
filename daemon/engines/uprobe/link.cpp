// SPDX-License-Identifier: Apache-2.0
#include "uprobe/link.h"

#include <bpf/bpf.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>

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

// A small number from a file of /sys, or -1.
int sys_number(const char* path, const char* format) {
  std::FILE* file = std::fopen(path, "re");
  if (!file) return -1;
  int value = -1;
  if (std::fscanf(file, format, &value) != 1) value = -1;
  std::fclose(file);
  return value;
}

Fd open_event(const std::string& path, uint64_t offset, bool at_return, pid_t pid) {
  static const int type = sys_number("/sys/bus/event_source/devices/uprobe/type", "%d");
  static const int bit =
      sys_number("/sys/bus/event_source/devices/uprobe/format/retprobe", "config:%d");
  if (type < 0 || bit < 0) {
    errno = EOPNOTSUPP;
    return Fd();
  }
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = uint32_t(type);
  attr.config = at_return ? 1ull << bit : 0;
  attr.config1 = reinterpret_cast<uint64_t>(path.c_str());
  attr.config2 = offset;
  // A uprobe event of one process follows it to any CPU; one of all processes fires on every CPU
  // whichever is named.
  return Fd(int(::syscall(SYS_perf_event_open, &attr, pid ? pid : -1, pid ? -1 : 0, -1,
                          PERF_FLAG_FD_CLOEXEC)));
}

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
    Fd event = open_event(path, places.offsets[i], at_return, pid);
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
