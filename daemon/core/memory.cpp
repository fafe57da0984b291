// SPDX-License-Identifier: Apache-2.0
#include "core/memory.h"

#include <malloc.h>

namespace compmond {
namespace {

constexpr int kLargeBlock = 1 << 20;
constexpr uint64_t kEveryNs = 60'000'000'000;

}  // namespace

FreeMemory::FreeMemory() { ::mallopt(M_MMAP_THRESHOLD, kLargeBlock); }

void FreeMemory::give_back(uint64_t now_ns) {
  if (now_ns < next_ns_) return;
  next_ns_ = now_ns + kEveryNs;
  ::malloc_trim(0);
}

}  // namespace compmond
