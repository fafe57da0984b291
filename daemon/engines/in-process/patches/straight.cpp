// SPDX-License-Identifier: Apache-2.0
#include "patches/straight.h"

#include <algorithm>

#include "patches/relocate.h"

namespace compmond::inprocess {
namespace {

constexpr unsigned kBack = 128, kForth = 127;  // bytes that a short jump leads over

bool goes_nowhere(code::Flow flow) {
  return flow == code::Flow::kRet || flow == code::Flow::kJump || flow == code::Flow::kIndirectJump;
}

}  // namespace

bool ends(const code::Insn& insn) { return goes_nowhere(insn.flow); }

bool Straight::entered(uint64_t vaddr) const {
  const code::Node* node = this->node(vaddr);
  if (!node || map_.begins(vaddr)) return true;
  if (vaddr != paths_.graph.entry() && map_.named(vaddr, vaddr + 1)) return true;
  if (node->from.empty()) return vaddr != paths_.graph.entry();
  return std::ranges::any_of(node->from, [&](uint64_t from) {
    const code::Node* other = this->node(from);
    return !other || from + other->length != vaddr || other->target == vaddr;
  });
}

std::optional<code::Insn> Straight::before(uint64_t vaddr) const {
  if (entered(vaddr)) return std::nullopt;
  const code::Node* node = this->node(vaddr);
  if (node->from.size() != 1) return std::nullopt;
  auto out = insn(node->from.front());
  if (!out || out->next() != vaddr || unmovable(*out)) return std::nullopt;
  return out;
}

unsigned Straight::padding(uint64_t vaddr, unsigned most) const {
  unsigned out = 0;
  while (out < most && !node(vaddr + out) && !map_.begins(vaddr + out)) {
    const auto next = insn(vaddr + out);
    if (!next ||
        (next->raw.mnemonic != ZYDIS_MNEMONIC_NOP && next->raw.mnemonic != ZYDIS_MNEMONIC_INT3))
      break;
    if (map_.named(next->vaddr, next->next())) break;
    out += next->length;
  }
  return out;
}

const char* Straight::grow(std::vector<Patch::Moved>& moved, uint64_t begin, unsigned bytes) const {
  uint64_t at = moved.empty() ? begin : moved.back().vaddr + moved.back().length;
  bool ended = false;
  if (!moved.empty()) {
    const auto last = insn(moved.back().vaddr);
    ended = last && ends(*last);
  }
  while (at < begin + bytes) {
    if (ended) {
      const unsigned missing = unsigned(begin + bytes - at);
      return padding(at, missing) >= missing ? nullptr : "no room";
    }
    if (at != begin && map_.begins(at)) return "no room";
    if (at != begin && entered(at)) return "a jump leads inside";
    const auto next = insn(at);
    if (!next) return "no instruction";
    if (const char* why = unmovable(*next)) return why;
    moved.push_back({at, next->length});
    ended = ends(*next);
    at += next->length;
  }
  return nullptr;
}

std::optional<uint64_t> Straight::springboard(uint64_t from, const Ledger& ledger) const {
  const uint64_t next = from + Patch::kShortJump;
  const uint64_t lowest = next - std::min<uint64_t>(next, kBack), highest = next + kForth;
  // As far behind as it goes: a return in front may need the first bytes.
  const auto in = [&](uint64_t begin, uint64_t size) -> std::optional<uint64_t> {
    if (size < Patch::kJump) return std::nullopt;
    for (uint64_t at = std::min(begin + size - Patch::kJump, highest);
         at >= std::max(begin, lowest); --at)
      if (ledger.free(at, Patch::kJump) && !map_.led_into(at - 1, at + Patch::kJump - 1) &&
          !map_.named(at, at + Patch::kJump))
        return at;
    return std::nullopt;
  };
  for (uint64_t end = lowest - std::min<uint64_t>(lowest, kBack); end <= highest; ++end)
    if (const code::Node* node = this->node(end); node && goes_nowhere(node->flow))
      if (const auto at = in(end + node->length, padding(end + node->length, kBack))) return at;
  const auto& between = map_.padding();
  auto range = std::ranges::lower_bound(between, lowest - std::min<uint64_t>(lowest, kBack), {},
                                        &elf::Image::Range::vaddr);
  for (; range != between.end() && range->vaddr <= highest; ++range)
    if (const auto at = in(range->vaddr, range->size)) return at;
  return std::nullopt;
}

}  // namespace compmond::inprocess
