// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <malloc.h>

namespace compmond {

// From now on blocks of 1 MiB and more go back to the system when they are freed, so that what one
// answer took does not stay with a run of days. Smaller ones are too frequent for that: each would
// cost a system call and fresh pages. Threads: any; best before there are others.
inline void give_back_large_blocks() { ::mallopt(M_MMAP_THRESHOLD, 1 << 20); }

}  // namespace compmond
