// SPDX-License-Identifier: Apache-2.0
#include "mapped_code/vdso.h"

#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "target/proc_folder.h"
#include "target/proc_text.h"

namespace compmond::sampler {

Fd copy_vdso() {
  const uint64_t start = ::getauxval(AT_SYSINFO_EHDR);
  const auto maps = target::read_maps("/proc/self");
  if (start == 0 || !maps) return Fd();
  for (const target::Mapping& mapping : target::parse_code_maps(*maps)) {
    if (mapping.start != start) continue;
    const size_t size = mapping.end - mapping.start;
    Fd file(::memfd_create("vdso", MFD_CLOEXEC));
    const auto* code = reinterpret_cast<const void*>(start);
    if (file.valid() && ::pwrite(file.get(), code, size, 0) == ssize_t(size)) return file;
  }
  return Fd();
}

}  // namespace compmond::sampler
