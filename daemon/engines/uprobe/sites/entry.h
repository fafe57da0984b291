// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "code/memory.h"
#include "uprobe_sites/site.h"

namespace compmond::uprobe {

// The cheapest place for the entry probe of the function whose first instruction `first` describes;
// `first` itself when that is cheap already or nothing else is provably equivalent. `size`: of the
// function's body. `nop5`: whether a 5-byte nop will do. `entered_within(last)`: as
// code::CodeScanner has it of this function; it is asked only when something is to be gained.
ProbeSite place_entry(code::CodeReader& reader, const ProbeSite& first, uint64_t size, bool nop5,
                      const std::function<bool(uint64_t last)>& entered_within);

// General registers that code in straight line from `first` to `entry` may change, as in
// code::Insn::writes.
uint16_t written_between(code::CodeReader& reader, uint64_t first, uint64_t entry);

}  // namespace compmond::uprobe
