// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "base/fd.h"

namespace compmond::bpf_engine
{

// A perf event of a probe at this offset of a file, in one process, or in all that map it (0).
// Empty where the kernel makes none: errno says why.
Fd open_uprobe_event(const std::string &path, uint64_t offset, bool at_return, pid_t pid);

// File offset of an address in compmond's own executable; 0 where it has none.
uint64_t own_offset(const void *address);

} // namespace compmond::bpf_engine
