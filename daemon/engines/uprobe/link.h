// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/fd.h"

// The kernel's ways to hang a program at places of a file: thin, no policy.
namespace compmond::uprobe {

struct Places {
  std::vector<uint64_t> offsets;  // in the file
  std::vector<uint64_t> cookies;  // one per offset
};

// uprobe_multi or uprobe_session link (kernel 6.6, 6.13). Invalid Fd and errno on failure.
enum class MultiType : uint32_t { kMulti = 48, kSession = 57 };
Fd link_multi(int program, MultiType type, const std::string& path, const Places& places,
              bool at_return, pid_t pid);

// Whether such a link in one process sees all its threads. At first (6.6) it saw a single one.
bool multi_sees_all_threads(int program);

// One perf-event uprobe per place. On failure errno is set and `out` keeps what it had.
bool link_per_symbol(int program, const std::string& path, const Places& places, bool at_return,
                     pid_t pid, std::vector<Fd>& out);

}  // namespace compmond::uprobe
