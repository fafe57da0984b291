// SPDX-License-Identifier: Apache-2.0
#include "code/places.h"

#include <algorithm>

#include "code/insn.h"

namespace compmond::code {
namespace {

constexpr uint64_t kLookBack =
    4096;  // how far before an address its region may begin; cold parts are far smaller

}  // namespace

Places::Places(const Memory& memory, const Functions& functions, uint64_t start, uint64_t size)
    : memory_(memory), functions_(functions), reader_(memory) {
  stretches_.push_back({start, size});
  // A cold part that only the unwinder enters is known by its name alone.
  const elf::Symbol* self = functions.at(start);
  if (!self) return;
  for (const elf::Symbol* part : functions.cold_parts(self->name))
    if (part->size > 0 && !inside(part->vaddr)) stretches_.push_back({part->vaddr, part->size});
}

bool Places::inside(uint64_t vaddr) const {
  return std::ranges::any_of(stretches_,
                             [&](const elf::Image::Range& r) { return vaddr - r.vaddr < r.size; });
}

bool Places::ends_at(uint64_t vaddr) const {
  return std::ranges::any_of(stretches_,
                             [&](const elf::Image::Range& r) { return r.vaddr + r.size == vaddr; });
}

Places::Kind Places::classify(uint64_t vaddr) {
  if (inside(vaddr)) return Kind::kInside;
  if (const elf::Symbol* symbol = functions_.covering(vaddr); symbol && is_cold_part(*symbol)) {
    stretches_.push_back({symbol->vaddr, symbol->size});
    return Kind::kInside;
  } else if (symbol) {
    return symbol->vaddr == vaddr ? Kind::kFunction : Kind::kForeign;
  }
  if (ends_at(vaddr) && !functions_.at(vaddr)) return Kind::kEnd;
  if (functions_.at(vaddr) || linkage_slot(reader_, vaddr)) return Kind::kFunction;
  const elf::Image::Range region = region_around(vaddr);
  if (region.size == 0) return Kind::kNowhere;
  return region.vaddr == vaddr ? Kind::kNameless : Kind::kWithin;
}

void Places::take_in(uint64_t vaddr) {
  const elf::Image::Range region = region_around(vaddr);
  if (region.size > 0 && !inside(region.vaddr)) stretches_.push_back(region);
}

// The region, from unwind information, that holds `vaddr` and belongs to no symbol; size 0: none.
elf::Image::Range Places::region_around(uint64_t vaddr) const {
  for (uint64_t back = 0; back < kLookBack && back <= vaddr; ++back) {
    const uint64_t begin = vaddr - back;
    if (const uint64_t size = memory_.region_size(begin); size > 0)
      return size > back && !functions_.at(begin) ? elf::Image::Range{begin, size}
                                                  : elf::Image::Range{};
  }
  return {};
}

// `[endbr64] [bnd] jmp *slot(%rip)`
std::optional<uint64_t> linkage_slot(CodeReader& reader, uint64_t vaddr) {
  auto insn = decode(reader.at(vaddr), vaddr);
  if (insn && insn->raw.mnemonic == ZYDIS_MNEMONIC_ENDBR64)
    insn = decode(reader.at(insn->next()), insn->next());
  if (!insn || insn->flow != Flow::kIndirectJump ||
      insn->operands[0].mem.base != ZYDIS_REGISTER_RIP)
    return std::nullopt;
  return fixed_address(*insn, insn->operands[0]);
}

}  // namespace compmond::code
