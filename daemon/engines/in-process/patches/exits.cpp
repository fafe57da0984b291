// SPDX-License-Identifier: Apache-2.0
#include "patches/exits.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "code/insn.h"
#include "patches/relocate.h"

namespace compmond::inprocess {
namespace {

constexpr const char* kNoRoom = "no room";

class Exits {
 public:
  Exits(const CodeMap& map, const code::Paths& paths, const Ledger& ledger,
        FunctionPatches& function)
      : map_(map), paths_(paths), straight_(map, paths), ledger_(ledger), out_(function) {}

  // What has least choice first: exits that always leave before others, and short jumps, which need
  // padding, last.
  Result<void> run() {
    for (const auto step : {&Exits::place, &Exits::by_short_jump})
      for (const bool always : {true, false})
        for (const code::ExitSite& exit : paths_.exits)
          if ((exit.condition == code::ExitSite::kAlways) == always && !is_moved(exit.vaddr))
            if (const char* why = (this->*step)(exit))
              return fail(Exit::kData, "no patch",
                          fmt::format("no jump fits at its exit {}: {}",
                                      code::place_in(paths_.graph.entry(), exit.vaddr), why));
    mark();
    return {};
  }

 private:
  bool is_moved(uint64_t vaddr) const {
    return std::ranges::any_of(out_.patches, [&](const Patch& p) {
      return p.kind != PatchKind::kFirstCall && p.moves(vaddr);
    });
  }

  // Where there is room; no reason where by_short_jump() may yet do.
  const char* place(const code::ExitSite& exit) {
    const auto insn = straight_.insn(exit.vaddr);
    if (!insn) return "no instruction";
    if (const char* why = unmovable(*insn)) return why;
    Patch patch = at(exit, *insn);
    if (grow(patch, *insn, Patch::kJump) && free(patch.at, Patch::kJump))
      return put(std::move(patch));
    return meets_entry_ ? join_entry(exit) : nullptr;
  }

  static Patch at(const code::ExitSite& exit, const code::Insn& insn) {
    Patch out;
    out.kind = exit.tail_jump ? PatchKind::kTailJump : PatchKind::kReturn;
    out.at = exit.vaddr;
    out.moved.push_back({exit.vaddr, insn.length});
    return out;
  }

  // To so many bytes: by padding behind it, by what is before it, and, where it does not always
  // leave, by what follows.
  bool grow(Patch& patch, const code::Insn& exit, unsigned bytes) {
    meets_entry_ = false;
    unsigned have = exit.length;
    if (have < bytes && ends(exit)) have += straight_.padding(exit.next(), bytes - have);
    while (have < bytes) {
      const auto before = straight_.before(patch.at);
      if (!before) break;
      const Patch* other = holder(before->vaddr);
      if (other) {
        meets_entry_ = other == &out_.patches.front();
        break;
      }
      patch.moved.insert(patch.moved.begin(), {before->vaddr, before->length});
      patch.at = before->vaddr;
      have += before->length;
      if (patch.kind == PatchKind::kReturn) patch.kind = PatchKind::kReturnWithPreceding;
    }
    if (have >= bytes) return true;
    return !ends(exit) && !straight_.grow(patch.moved, patch.at, bytes);
  }

  // The patch that does what is at `vaddr`, or has bytes there.
  const Patch* holder(uint64_t vaddr) const {
    for (const Patch& patch : out_.patches)
      if (patch.moves(vaddr) || vaddr - patch.at < patch.size) return &patch;
    return nullptr;
  }

  bool free(uint64_t at, unsigned size) const {
    if (map_.led_into(at, at + size - 1) || !ledger_.free(at, size)) return false;
    return std::ranges::none_of(out_.patches, [&](const Patch& patch) {
      const auto apart = [&](uint64_t begin, uint64_t end) {
        return end <= at || begin >= at + size;
      };
      return !apart(patch.at, std::max(patch.at + patch.size, patch.end())) ||
             (patch.springboard && !apart(patch.springboard, patch.springboard + Patch::kJump));
    });
  }

  // The entry's patch goes on to the exit, straight ahead.
  const char* join_entry(const code::ExitSite& exit) {
    Patch& entry = out_.patches.front();
    if (entry.kind == PatchKind::kFirstCall) return "its first call is too near";
    std::vector<Patch::Moved> moved = entry.moved;
    const unsigned bytes = unsigned(exit.vaddr + 1 - entry.at);
    if (const char* why = straight_.grow(moved, entry.at, bytes)) return why;
    if (moved.back().vaddr != exit.vaddr) return "its entry is too near";
    entry.moved = std::move(moved);
    return nullptr;
  }

  const char* by_short_jump(const code::ExitSite& exit) {
    const code::Insn insn = *straight_.insn(exit.vaddr);
    Patch patch = at(exit, insn);
    if (!grow(patch, insn, Patch::kShortJump) || !free(patch.at, Patch::kShortJump)) return kNoRoom;
    Ledger ledger = ledger_;
    for (const Patch& other : out_.patches) {
      ledger.take(other.at, other.size);
      if (other.springboard) ledger.take(other.springboard, Patch::kJump);
    }
    const auto springboard = straight_.springboard(patch.at, ledger);
    if (!springboard) return kNoRoom;
    patch.kind = PatchKind::kShortExit;
    patch.size = Patch::kShortJump;
    patch.springboard = *springboard;
    return put(std::move(patch));
  }

  const char* put(Patch patch) {
    out_.patches.push_back(std::move(patch));
    return nullptr;
  }

  void mark() {
    for (Patch& patch : out_.patches)
      for (Patch::Moved& moved : patch.moved)
        moved.exit = patch.kind != PatchKind::kFirstCall &&
                     std::ranges::any_of(paths_.exits, [&](const code::ExitSite& exit) {
                       return exit.vaddr == moved.vaddr;
                     });
    std::ranges::sort(out_.patches.begin() + 1, out_.patches.end(), {}, &Patch::at);
  }

  const CodeMap& map_;
  const code::Paths& paths_;
  Straight straight_;
  const Ledger& ledger_;
  FunctionPatches& out_;
  bool meets_entry_ = false;  // the last grow() ended there
};

}  // namespace

Result<void> place_exits(const CodeMap& map, const code::Paths& paths, const Ledger& ledger,
                         FunctionPatches& function) {
  return Exits(map, paths, ledger, function).run();
}

}  // namespace compmond::inprocess
