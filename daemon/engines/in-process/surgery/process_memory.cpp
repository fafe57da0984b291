// SPDX-License-Identifier: Apache-2.0
#include "surgery/process_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace compmond::inprocess {

Result<ProcessMemory> ProcessMemory::open(pid_t pid) {
  Fd file(::open(fmt::format("/proc/{}/mem", pid).c_str(), O_RDWR | O_CLOEXEC));
  if (file.valid()) return ProcessMemory(std::move(file));
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

bool ProcessMemory::write(uint64_t at, std::span<const uint8_t> bytes) const {
  const ssize_t put = ::pwrite(file_.get(), bytes.data(), bytes.size(), off_t(at));
  return put >= 0 && size_t(put) == bytes.size();
}

}  // namespace compmond::inprocess
