// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <sys/types.h>

#include <cstdint>
#include <string>

#include "text/numbers.h"

namespace compmond::text {

// Of so many in all: "process 12", "process 12 and 3 others".
inline std::string processes(pid_t first, uint64_t all) {
  return all <= 1 ? fmt::format("process {}", first)
                  : fmt::format("process {} and {}", first, counted(all - 1, "other"));
}

}  // namespace compmond::text
