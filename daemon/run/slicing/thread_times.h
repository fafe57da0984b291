// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>

namespace compmond::run {

// CPU time in ns that each thread of these processes used so far, by pid and tid. None where there
// are so many that looking would take longer than a slice may take to begin.
using ThreadTimes = std::map<std::pair<pid_t, pid_t>, uint64_t>;
std::optional<ThreadTimes> thread_times(std::span<const pid_t> processes);

}  // namespace compmond::run
