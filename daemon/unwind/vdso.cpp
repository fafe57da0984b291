// SPDX-License-Identifier: Apache-2.0
#include "unwind/vdso.h"

#include <elf.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace compmond::unwind {

Fd vdso_file() {
  const auto* start = reinterpret_cast<const std::byte*>(::getauxval(AT_SYSINFO_EHDR));
  if (!start) return Fd();
  const auto& header = *reinterpret_cast<const Elf64_Ehdr*>(start);
  const auto* segments = reinterpret_cast<const Elf64_Phdr*>(start + header.e_phoff);
  uint64_t size = header.e_shoff + uint64_t(header.e_shnum) * header.e_shentsize;
  for (int i = 0; i < header.e_phnum; ++i)
    size = std::max(size, segments[i].p_offset + segments[i].p_filesz);
  Fd file(::memfd_create("vdso", MFD_CLOEXEC));
  if (!file.valid() || ::write(file.get(), start, size) != ssize_t(size)) return Fd();
  return file;
}

}  // namespace compmond::unwind
