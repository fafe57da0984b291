// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "code/insn.h"
#include "code/paths.h"
#include "patches/code_map.h"
#include "patches/ledger.h"
#include "patches/patch.h"

namespace compmond::inprocess {

// One function's code as stretches that control only passes through from top to bottom: what can be
// moved as a whole. Borrows what it is made of.
class Straight {
 public:
  Straight(const CodeMap& map, const code::Paths& paths) : map_(map), paths_(paths) {}

  // Control may come to `vaddr` in another way than from the instruction before it: by a jump, from
  // the unwinder, as another function, or nobody knows.
  bool entered(uint64_t vaddr) const;
  const code::Node* node(uint64_t vaddr) const { return paths_.graph.find(vaddr); }
  std::optional<code::Insn> insn(uint64_t vaddr) const { return paths_.graph.decode_at(vaddr); }
  // The instruction before `vaddr`, where control passes from it to there and in no other way, and
  // where both may be moved together: it is no call, to which control would come back.
  std::optional<code::Insn> before(uint64_t vaddr) const;
  // Bytes from `vaddr` on that nobody runs, up to `most`: padding behind what does not go on.
  unsigned padding(uint64_t vaddr, unsigned most) const;

  // Lengthens `moved`, which ends at `end`, by what follows until it has `bytes` bytes, padding
  // behind its end included. Why that is not possible, for people; null: it is.
  const char* grow(std::vector<Patch::Moved>& moved, uint64_t begin, unsigned bytes) const;
  // Patch::kJump bytes that nobody runs, behind what ends in this function or between functions,
  // free in the ledger, which a short jump at `from` reaches.
  std::optional<uint64_t> springboard(uint64_t from, const Ledger& ledger) const;

 private:
  const CodeMap& map_;
  const code::Paths& paths_;
};

// It does not go on behind itself.
bool ends(const code::Insn& insn);

}  // namespace compmond::inprocess
