// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "code/memory.h"
#include "code/paths.h"
#include "code/scan.h"

namespace compmond::code {

// The cheapest place for the entry probe of the function whose first instruction `first` describes;
// `first` itself when that is cheap already or nothing else is provably equivalent. `size`: of the
// function's body. `jumped_to(after, last)` says whether any direct jump in the image may lead into
// (after, last]; it is asked only when something is to be gained.
Site place_entry(const Memory& memory, const Functions& functions, const Paths& paths,
                 const Site& first, uint64_t size,
                 const std::function<bool(uint64_t, uint64_t)>& jumped_to);

// General registers that code in straight line from `first` to `entry` may change, as in
// Insn::writes.
uint16_t written_between(CodeReader& reader, uint64_t first, uint64_t entry);

}  // namespace compmond::code
