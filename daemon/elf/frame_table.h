// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "elf/elf_file.h"

namespace compmond::elf {

// A function's extent as its frame description says.
struct FrameExtent {
  uint64_t vaddr = 0;
  uint64_t size = 0;
};

// The frame descriptions of an .eh_frame section that is loaded at `vaddr`, sorted by address.
// Format: Linux Standard Base Core, "Exception Frames". Stops at the first malformed record; what
// was read before stays.
std::vector<FrameExtent> read_eh_frame(Bytes section, uint64_t vaddr);

}  // namespace compmond::elf
