// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "walk/row.h"

struct Dwarf_CFI_s;

namespace compmond::unwind {

// What libdw says of one address.
struct Decoded {
  Row row;                      // `rules` is not set
  Rules rules;                  // of Row::Kind::kRules
  uint64_t start = 0, end = 0;  // it holds in [start, end)
  bool found = false;           // false: no function is described there
};

// The row for `vaddr`, as the file has addresses. `cfi` may be made of anything.
Decoded decode_row(Dwarf_CFI_s* cfi, uint64_t vaddr);

}  // namespace compmond::unwind
