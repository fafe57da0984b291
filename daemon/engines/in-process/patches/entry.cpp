// SPDX-License-Identifier: Apache-2.0
#include "patches/entry.h"

#include <algorithm>
#include <optional>

#include "code/insn.h"
#include "patches/relocate.h"

namespace compmond::inprocess {
namespace {

// What a recording can tell apart: it corrects %rsp by a signed byte, 32 of which are its own.
constexpr int64_t kDeepest = 80;
constexpr int kBeforeCall = 6;  // instructions before a first call that counts as the entry

class Entry {
 public:
  Entry(const CodeMap& map, const code::Paths& paths, const Ledger& ledger, const Asked& asked)
      : map_(map),
        straight_(map, paths),
        start_(paths.graph.entry()),
        ledger_(ledger),
        asked_(asked) {
    const auto first = straight_.insn(start_);
    // Indirect calls must find it where they expect it.
    begin_ = first && first->raw.mnemonic == ZYDIS_MNEMONIC_ENDBR64 ? first->next() : start_;
  }

  std::optional<Patch> behind_first() const {
    const auto first = straight_.insn(begin_);
    if (!first || first->flow != code::Flow::kNext || unmovable(*first) || writes_memory(*first) ||
        !may_pass(*first))
      return std::nullopt;
    const uint64_t at = first->next();
    if (straight_.entered(at) || !shallow(at)) return std::nullopt;
    Patch out = patch(PatchKind::kBehindFirst, at);
    out.depth = uint8_t(straight_.node(at)->stack.depth);
    if (straight_.grow(out.moved, at, Patch::kJump)) return std::nullopt;
    return free(at, Patch::kJump) ? std::optional(out) : std::nullopt;
  }

  // Or why not.
  const char* at_first(Patch& out) const {
    out = patch(PatchKind::kFirst, begin_);
    if (const char* why = straight_.grow(out.moved, begin_, Patch::kJump)) return why;
    return free(begin_, Patch::kJump) ? nullptr : "other patches have its bytes";
  }

  std::optional<Patch> first_call() const {
    uint64_t at = begin_;
    for (int i = 0; i <= kBeforeCall; ++i) {
      const auto insn = straight_.insn(at);
      if (!insn || (at != begin_ && straight_.entered(at))) return std::nullopt;
      if (insn->flow == code::Flow::kCall) {
        if (insn->length != Patch::kJump || insn->target == 0 || !shallow(at) ||
            !free(at, Patch::kJump))
          return std::nullopt;
        Patch out = patch(PatchKind::kFirstCall, at);
        out.depth = uint8_t(straight_.node(at)->stack.depth + 8);
        out.moved.push_back({at, insn->length});
        return out;
      }
      if (insn->flow != code::Flow::kNext || unmovable(*insn) || !may_pass(*insn))
        return std::nullopt;
      at = insn->next();
    }
    return std::nullopt;
  }

  std::optional<Patch> short_jump() const {
    Patch out = patch(PatchKind::kShortEntry, begin_);
    out.size = Patch::kShortJump;
    if (straight_.grow(out.moved, begin_, Patch::kShortJump) || !free(begin_, Patch::kShortJump))
      return std::nullopt;
    const auto springboard = straight_.springboard(begin_, ledger_);
    if (!springboard) return std::nullopt;
    out.springboard = *springboard;
    return out;
  }

 private:
  static Patch patch(PatchKind kind, uint64_t at) {
    Patch out;
    out.kind = kind;
    out.at = at;
    return out;
  }
  // Perhaps to where a recording would be, which is below %rsp; a push lowers that.
  static bool writes_memory(const code::Insn& insn) {
    if (insn.raw.mnemonic == ZYDIS_MNEMONIC_PUSH) return false;
    for (int i = 0; i < insn.raw.operand_count; ++i)
      if (code::is_memory(insn.operands[size_t(i)]) &&
          (insn.operands[size_t(i)].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
        return true;
    return false;
  }
  bool may_pass(const code::Insn& insn) const {
    return asked_.moves &&
           std::ranges::none_of(asked_.values, [&](uint8_t of) { return insn.writes >> of & 1; });
  }
  bool shallow(uint64_t vaddr) const {
    const code::Stack& stack = straight_.node(vaddr)->stack;
    return stack.known() && stack.depth >= 0 && stack.depth < kDeepest;
  }
  bool free(uint64_t at, unsigned size) const {
    return !map_.led_into(at, at + size - 1) && ledger_.free(at, size);
  }

  const CodeMap& map_;
  Straight straight_;
  uint64_t start_, begin_;
  const Ledger& ledger_;
  const Asked& asked_;
};

}  // namespace

Result<Patch> place_entry(const CodeMap& map, const code::Paths& paths, const Ledger& ledger,
                          const Asked& asked) {
  const Entry entry(map, paths, ledger, asked);
  if (auto patch = entry.behind_first()) return *patch;
  Patch first;
  const char* why = entry.at_first(first);
  if (!why) return first;
  if (auto patch = entry.first_call()) return *patch;
  if (auto patch = entry.short_jump()) return *patch;
  return fail(Exit::kData, "no patch", fmt::format("no jump fits at its entry: {}", why), "");
}

}  // namespace compmond::inprocess
