// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "recording/log_part.h"

namespace compmond::recording {

// LogReader::cpu_used_ns of a log in these parts.
uint64_t cpu_used_ns(const std::vector<LogPart>& parts, const Header& header, uint64_t time_ns);

}  // namespace compmond::recording
