// SPDX-License-Identifier: Apache-2.0
#include "intact/looker.h"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string>

#include "base/safe_file.h"
#include "core/byte_stream.h"
#include "guard/child.h"
#include "guard/confine.h"
#include "target/proc_folder.h"
#include "target/proc_text.h"

namespace compmond::intact {
namespace {

struct Request {
  pid_t pid = 0;
  uint64_t device = 0, inode = 0;
  std::vector<Site> sites;
};

struct Reply {
  int error = 0;  // errno
  std::vector<uint8_t> found;
  pid_t debugger = 0;
};

template <class Archive, class R>
requires std::is_same_v<std::remove_const_t<R>, Request>
void fields(Archive& archive, R& r) { archive(r.pid, r.device, r.inode, r.sites); }

template <class Archive, class R>
requires std::is_same_v<std::remove_const_t<R>, Reply>
void fields(Archive& archive, R& r) { archive(r.error, r.found, r.debugger); }

// The number in "/proc/NUMBER".
pid_t number_of(const std::string& folder) {
  return pid_t(std::atol(folder.c_str() + folder.rfind('/') + 1));
}

struct Code {
  std::vector<target::Mapping> file;
  std::vector<Range> trampolines;
};

Code code_of(const std::string& maps, const Request& wanted) {
  Code out;
  for (const target::Mapping& one : target::parse_code_maps(maps)) {
    if (one.path == "[uprobes-trampoline]") out.trampolines.push_back({one.start, one.end});
    if (one.inode != 0 && one.inode == wanted.inode &&
        target::same_device(one.device, wanted.device))
      out.file.push_back(one);
  }
  return out;
}

Found look_at(pid_t thread, const Site& site, const Code& code, int& error) {
  Found out = Found::kUnknown;
  std::string memory(site.bytes.size(), '\0');
  for (const target::Mapping& one : code.file) {
    const uint64_t end = one.offset + (one.end - one.start);
    if (site.offset < one.offset || site.offset + memory.size() > end) continue;
    const uint64_t address = one.start + (site.offset - one.offset);
    const iovec here{memory.data(), memory.size()};
    const iovec there{reinterpret_cast<void*>(address), memory.size()};
    if (::process_vm_readv(thread, &here, 1, &there, 1, 0) == ssize_t(memory.size())) {
      const Found found = compare(site, memory, address, code.trampolines);
      out = std::max(out, found == Found::kAsFile && one.writable ? Found::kWritable : found);
    } else if (errno == EPERM || errno == ESRCH || errno == ENOSYS) {
      error = errno;
    }
  }
  return out;
}

Reply look_into(const Request& wanted) {
  Reply out;
  const std::string folder = target::live_folder(wanted.pid);
  const auto maps = target::read_maps(folder);
  if (!maps) {
    out.error = maps.error().code == Exit::kNoPermission ? EPERM : ESRCH;
    return out;
  }
  const Code code = code_of(*maps, wanted);
  for (const Site& site : wanted.sites) {
    out.found.push_back(uint8_t(look_at(number_of(folder), site, code, out.error)));
    if (out.error != 0) return out;
  }
  if (const auto status = read_file(folder + "/status", 64u << 10))
    out.debugger = target::parse_tracer(*status);
  if (out.debugger == ::getppid()) out.debugger = 0;
  return out;
}

[[noreturn]] void serve(const Fd& channel) {
  guard::become_helper("compmond-look");
  if (!guard::confine_looker(channel).empty()) ::_exit(1);
  for (std::string bytes; guard::receive(channel, bytes);) {
    Request wanted;
    ByteReader reader(bytes);
    reader(wanted);
    ByteWriter writer;
    Reply reply;
    if (reader.at_end())
      reply = look_into(wanted);
    else
      reply.error = EINVAL;
    writer(reply);
    if (!guard::send(channel, guard::Message::kResult, writer.take())) break;
  }
  ::_exit(0);
}

}  // namespace

Result<Looker> Looker::start() {
  auto child = guard::start_child("cannot start a process that looks at code in memory", serve);
  if (!child) return Unexpected(std::move(child.error()));
  return Looker(std::move(*child));
}

Result<Look> Looker::look(pid_t pid, uint64_t device, uint64_t inode,
                          const std::vector<Site>& sites) {
  const std::string what = fmt::format("cannot look at the code of process {}", pid);
  ByteWriter writer;
  writer(Request{pid, device, inode, sites});
  std::string bytes;
  if (!guard::send(child_.channel(), guard::Message::kOpen, writer.take()) ||
      !guard::receive(child_.channel(), bytes))
    return fail(Exit::kUnavailable, what, "the process that looks is gone",
                "Start compmond again.");
  Reply reply;
  ByteReader reader(bytes);
  reader(reply);
  if (reply.error != 0)
    return fail_errno(reply.error == ESRCH ? Exit::kNoInput : Exit::kNoPermission, what,
                      reply.error, "Run compmond as root (sudo).");
  Look out{{}, reply.debugger};
  for (const uint8_t one : reply.found) out.found.push_back(Found(one));
  out.found.resize(sites.size());
  return out;
}

}  // namespace compmond::intact
