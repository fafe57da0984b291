// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/fd.h"

namespace compmond {

// Reads up to `size` bytes at `offset` of a file; fewer where it ends or cannot be read. Returns
// how many.
size_t read_at(int file, void* to, size_t size, uint64_t offset);
inline size_t read_at(const Fd& file, void* to, size_t size, uint64_t offset) {
  return read_at(file.get(), to, size, offset);
}

}  // namespace compmond
