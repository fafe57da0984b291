// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "trace/contexts.h"
#include "traces/traced.h"

namespace compmond::traces {

// What an argument of the execution `eoi` says, as a link; none where it names nothing: no pointer,
// no text. `log` and `pid` tell where a pointer means the same.
std::optional<TraceLink> link_of(const trace::Context& context, uint32_t eoi, uint64_t log,
                                 uint32_t pid);

}  // namespace compmond::traces
