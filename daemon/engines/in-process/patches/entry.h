// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/result.h"
#include "code/paths.h"
#include "patches/ledger.h"
#include "patches/patch.h"
#include "patches/straight.h"

namespace compmond::inprocess {

// Where a jump at the entry of the function can be that every call passes exactly once, before
// anything else of it is seen from outside; the first of these that has room: behind the first
// instruction, at it, in place of its first call's target, by way of padding. Or why there is none:
// Error::why.
Result<Patch> place_entry(const CodeMap& map, const code::Paths& paths, const Ledger& ledger,
                          const Asked& asked);

}  // namespace compmond::inprocess
