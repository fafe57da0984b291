// SPDX-License-Identifier: Apache-2.0
#include "intact/looker.h"

#include <signal.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <sstream>
#include <string>

#include "base/clock.h"
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
  bool handles_traps = false;
};

template <class Archive, class R>
requires std::is_same_v<std::remove_const_t<R>, Request>
void fields(Archive& archive, R& r) { archive(r.pid, r.device, r.inode, r.sites); }

template <class Archive, class R>
requires std::is_same_v<std::remove_const_t<R>, Reply>
void fields(Archive& archive, R& r) { archive(r.error, r.found, r.debugger, r.handles_traps); }

// The number in "/proc/NUMBER".
pid_t number_of(const std::string& folder) {
  return pid_t(std::atol(folder.c_str() + folder.rfind('/') + 1));
}

// Of a file that is mapped as a program, not only read: more than one part.
constexpr size_t kParts = 2;
struct Part {
  target::Mapping mapping;
  bool shared = false;
};

struct Code {
  std::vector<Part> file;  // all that is mapped of it, executable or not
  std::vector<Range> trampolines;
};

Code code_of(const std::string& maps, const Request& wanted) {
  Code out;
  for (const target::Mapping& one : target::parse_code_maps(maps))
    if (one.path == "[uprobes-trampoline]") out.trampolines.push_back({one.start, one.end});
  std::istringstream lines(maps);
  for (std::string line; std::getline(lines, line);)
    if (auto one = target::parse_mapping(line);
        one && one->inode == wanted.inode && target::same_device(one->device, wanted.device))
      out.file.push_back({std::move(*one), target::maps_shared(line)});
  return out;
}

Found look_at(pid_t thread, const Site& site, const Part& part, const Code& code, int& error) {
  const uint64_t address = part.mapping.start + (site.offset - part.mapping.offset);
  std::string memory(site.bytes.size(), '\0');
  const iovec here{memory.data(), memory.size()};
  const iovec there{reinterpret_cast<void*>(address), memory.size()};
  const ssize_t size = ::process_vm_readv(thread, &here, 1, &there, 1, 0);
  if (size == ssize_t(memory.size())) return compare(site, memory, address, code.trampolines);
  if (size >= 0 || errno == EFAULT) return Found::kUnreadable;
  error = errno;
  return Found::kUnknown;
}

// What is mapped without the right to execute may get it later, and gets probes now: it counts
// where it is not as the file.
Found with_rights(Found found, const Part& part) {
  if (!part.mapping.executable) return found >= Found::kUnreadable ? found : Found::kUnknown;
  if (found != Found::kAsFile) return found;
  return part.shared ? Found::kShared : part.mapping.writable ? Found::kWritable : found;
}

Found look_at(pid_t thread, const Site& site, const Code& code, int& error) {
  Found out = Found::kUnknown;
  bool mapped = false;
  const uint64_t place = site.offset + site.probe_at;
  for (const Part& part : code.file) {
    const target::Mapping& one = part.mapping;
    if (place < one.offset || place >= one.offset + (one.end - one.start)) continue;
    mapped = true;
    if (!one.executable && site.offset < one.offset) continue;  // somebody reads the file
    out = std::max(out, with_rights(look_at(thread, site, part, code, error), part));
  }
  return mapped || code.file.size() < kParts ? out : Found::kElsewhere;
}

bool is_worse_than_writable(uint8_t found) { return found > uint8_t(Found::kShared); }

// In a process that may execute another program, or map its code anew, meanwhile: what is bad is
// looked at again, some times, until nothing did.
Reply look_at_all(const std::string& folder, std::string maps, const Request& wanted) {
  constexpr int kTries = 4;
  for (int tries = 1;; ++tries) {
    Reply out;
    const Code code = code_of(maps, wanted);
    for (const Site& site : wanted.sites) {
      out.found.push_back(uint8_t(look_at(number_of(folder), site, code, out.error)));
      if (out.error != 0) return out;
    }
    if (tries == kTries || std::ranges::none_of(out.found, is_worse_than_writable)) return out;
    auto now = target::read_maps(folder);
    if (now && *now == maps) return out;
    if (!now) {  // it ended
      out.error = ESRCH;
      return out;
    }
    maps = std::move(*now);
  }
}

Reply look_into(const Request& wanted) {
  const std::string folder = target::live_folder(wanted.pid);
  auto maps = target::read_maps(folder);
  if (!maps) {
    Reply out;
    out.error = maps.error().code == Exit::kNoPermission ? EPERM : ESRCH;
    return out;
  }
  Reply out = look_at_all(folder, std::move(*maps), wanted);
  if (out.error != 0) return out;
  if (const auto status = read_file(folder + "/status", 64u << 10)) {
    out.debugger = target::parse_tracer(*status);
    out.handles_traps = target::handles_signal(*status, SIGTRAP);
  }
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
                          const std::vector<Site>& sites, uint64_t within_ns) {
  const std::string what = fmt::format("cannot look at the code of process {}", pid);
  ByteWriter writer;
  writer(Request{pid, device, inode, sites});
  std::string bytes;
  works_ = works_ && guard::send(child_.channel(), guard::Message::kOpen, writer.take()) &&
           guard::receive(child_.channel(), bytes, monotonic_ns() + within_ns);
  if (!works_)
    return fail(Exit::kUnavailable, what,
                "the process that looks is gone, or what it reads there does not come (paged by "
                "another process)",
                "Start compmond again.");
  Reply reply;
  ByteReader reader(bytes);
  reader(reply);
  if (reply.error != 0)
    return fail_errno(reply.error == ESRCH ? Exit::kNoInput : Exit::kNoPermission, what,
                      reply.error, "Run compmond as root (sudo).");
  Look out{{}, reply.debugger, reply.handles_traps};
  for (const uint8_t one : reply.found) out.found.push_back(Found(one));
  out.found.resize(sites.size());
  return out;
}

}  // namespace compmond::intact
