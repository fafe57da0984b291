// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "code/memory.h"
#include "walk/row.h"

namespace compmond::unwind {

// A row for a place of which call frame information knows nothing, from the code behind it: what
// it takes off the stack until it returns, on the ways that pass the fewest calls. Calls are taken
// to return. kUnknown where that is not to be seen, or these ways do not agree.
Row row_by_code(const code::Memory& memory, uint64_t pc);

}  // namespace compmond::unwind
