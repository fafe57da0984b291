// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "code/paths.h"
#include "patches/ledger.h"
#include "patches/patch.h"
#include "patches/straight.h"

namespace compmond::inprocess {

// Adds to `function`, which holds its entry's patch alone, what tells of each way out: where the
// entry's patch moves one, this does it, and is lengthened where one is too near. Or why one cannot
// be told: Error::why. `paths` are complete.
Result<void> place_exits(const CodeMap& map, const code::Paths& paths, const Ledger& ledger,
                         FunctionPatches& function);

}  // namespace compmond::inprocess
