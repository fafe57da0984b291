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
  // Some of them may be of tables behind it, which are no targets of this jump.
  bool end_unknown = false;
};

// The jump at `vaddr` of `graph`. Recognised tables: 4-byte offsets from the table
// (position-independent code of gcc and clang) and 8-byte addresses, when a comparison of the index
// or of a copy on every way to the jump bounds it, or its width does (the index of 8-byte addresses
// is a byte). Where several ways load from tables, the targets of all.
IndirectJump resolve_indirect(const Graph& graph, const Memory& memory, uint64_t vaddr);

}  // namespace compmond::code
