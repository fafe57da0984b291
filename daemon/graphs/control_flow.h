// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "traces/traced.h"

namespace compmond::graphs {

// A number of what tells equivalence classes apart: the same for the traces of a class, and hardly
// ever the same for those of two.
uint64_t control_flow(const traces::Trace& trace, bool with_host);

}  // namespace compmond::graphs
