// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "code/graph.h"

namespace compmond::code {

// Where an indirect jump goes, as far as the code before it proves.
struct IndirectJump {
  enum class Kind : uint8_t {
    kTable,     // through a compiler's jump table, to `targets`
    kTailCall,  // to a function whose address was loaded or passed; the stack is as at entry
    kUnresolved,
  };
  Kind kind = Kind::kUnresolved;
  std::vector<uint64_t> targets;
};

// The jump at `vaddr` of `graph`. Recognised tables: 4-byte offsets from the table
// (position-independent code of gcc and clang) and 8-byte addresses, when a comparison on every way
// to the jump bounds the index.
IndirectJump resolve_indirect(const Graph& graph, const Memory& memory, uint64_t vaddr);

}  // namespace compmond::code
