// SPDX-License-Identifier: Apache-2.0
#include "surgery/process_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace compmond::inprocess {

Result<ProcessMemory> ProcessMemory::open(pid_t pid) {
  Fd file(::open(fmt::format("/proc/{}/mem", pid).c_str(), O_RDWR | O_CLOEXEC));
  if (file.valid()) return ProcessMemory(pid, std::move(file));
  const int err = errno;
  const bool gone = err == ENOENT || err == ESRCH;
  return fail_errno(gone ? Exit::kNoInput : Exit::kNoPermission,
                    fmt::format("cannot open the memory of process {}", pid), err,
                    gone ? "" : "Patching needs the right to trace it (CAP_SYS_PTRACE).");
}

bool ProcessMemory::read(uint64_t at, std::span<uint8_t> bytes) const {
  const ssize_t got = ::pread(file_.get(), bytes.data(), bytes.size(), off_t(at));
  return got >= 0 && size_t(got) == bytes.size();
}

size_t ProcessMemory::read_some(uint64_t at, std::span<uint8_t> bytes) const {
  return size_t(std::max<ssize_t>(0, ::pread(file_.get(), bytes.data(), bytes.size(), off_t(at))));
}

// One that cannot be read ends what a call reads: from there on each of that call is read alone.
std::vector<bool> ProcessMemory::read(std::span<const Piece> pieces) const {
  constexpr size_t kAtOnce = 1024;  // IOV_MAX
  std::array<iovec, kAtOnce> here, there;
  std::vector<bool> out;
  while (out.size() < pieces.size()) {
    const auto some = pieces.subspan(out.size(), std::min(kAtOnce, pieces.size() - out.size()));
    for (size_t i = 0; i < some.size(); ++i) {
      here[i] = {some[i].bytes.data(), some[i].bytes.size()};
      there[i] = {reinterpret_cast<void*>(some[i].at), some[i].bytes.size()};
    }
    ssize_t got = ::process_vm_readv(pid_, here.data(), some.size(), there.data(), some.size(), 0);
    for (const Piece& piece : some) {
      got -= ssize_t(piece.bytes.size());
      out.push_back(got >= 0 || read(piece.at, piece.bytes));
    }
  }
  return out;
}

bool ProcessMemory::write(uint64_t at, std::span<const uint8_t> bytes) const {
  const ssize_t put = ::pwrite(file_.get(), bytes.data(), bytes.size(), off_t(at));
  return put >= 0 && size_t(put) == bytes.size();
}

}  // namespace compmond::inprocess
