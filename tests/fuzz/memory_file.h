// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <span>

#include "base/fd.h"
#include "check.h"

namespace compmond::fuzz {

// A regular file that holds `bytes` and lies on no disk.
inline Fd file_of(std::span<const uint8_t> bytes) {
  Fd fd(::memfd_create("input", MFD_CLOEXEC));
  FUZZ_CHECK(fd.valid());
  FUZZ_CHECK(::pwrite(fd.get(), bytes.data(), bytes.size(), 0) == ssize_t(bytes.size()));
  return fd;
}

}  // namespace compmond::fuzz
