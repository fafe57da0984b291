// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace compmond::sampler {

// What perf events tell of processes' memory; times are CLOCK_MONOTONIC.

// Memory that holds code was mapped, or became executable.
struct CodeMapped {
  uint32_t pid = 0;
  uint64_t start = 0, end = 0, offset = 0;
  uint64_t device = 0, inode = 0;  // makedev form; inode 0: no file
  std::string path;                // as the process sees it, or "[vdso]", "//anon", …
};
// The process executes another program: what was mapped is gone.
struct Executed {
  uint32_t pid = 0;
};
// Records that had no room.
struct SidebandLost {
  uint64_t records = 0;
};

struct SidebandEvent {
  uint64_t time_ns = 0;
  std::variant<CodeMapped, Executed, SidebandLost> what;
};

// Appends what the records say of processes that are `wanted`, where each record has
// PERF_SAMPLE_TIME alone at its end (sample_id_all). Others are skipped, as are malformed ones;
// returns how many of these there were. Stops at one whose size makes no sense, as nothing behind
// it can be found.
size_t parse_sideband(std::span<const std::byte> records,
                      const std::function<bool(uint32_t pid)>& wanted,
                      std::vector<SidebandEvent>& out);

}  // namespace compmond::sampler
