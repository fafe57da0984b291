// SPDX-License-Identifier: Apache-2.0
#include "uprobe_sites/entry.h"

#include <algorithm>
#include <vector>

#include "code/insn.h"
#include "uprobe_sites/kernel_view.h"

namespace compmond::uprobe {
namespace {

using code::Insn;

constexpr int kInstructions =
    32;  // passed at most; prologues are shorter, and what is passed is time not seen

// Whether a probe may be moved past it: it goes on, at once, with %rsp unchanged. Interrupts and
// system calls may come back late or never, rep string instructions take their time.
bool may_pass(const Insn& insn) {
  constexpr auto kRep = ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE;
  switch (insn.raw.meta.category) {
    case ZYDIS_CATEGORY_SYSCALL:
    case ZYDIS_CATEGORY_INTERRUPT:
    case ZYDIS_CATEGORY_SYSTEM:
      return false;
    default:
      return insn.flow == code::Flow::kNext && !insn.writes_register(code::kRsp) &&
             !(insn.raw.attributes & kRep);
  }
}

// Whether the operand names a place below %rsp to write to, or takes an address near it. (A
// register that the caller pointed there points into no frame that lives.)
bool reaches_below_stack(const ZydisDecodedOperand& operand) {
  if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER)
    return operand.visibility == ZYDIS_OPERAND_VISIBILITY_EXPLICIT &&
           (operand.actions & ZYDIS_OPERAND_ACTION_MASK_READ) &&
           code::register_number(operand.reg.value) == code::kRsp;
  if (operand.type != ZYDIS_OPERAND_TYPE_MEMORY || operand.mem.base != ZYDIS_REGISTER_RSP)
    return false;
  if (operand.mem.type == ZYDIS_MEMOP_TYPE_AGEN) return true;
  return (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) &&
         (operand.mem.disp.value < 0 || operand.mem.index != ZYDIS_REGISTER_NONE);
}

// Whether it may store below %rsp, now or later through an address that it hands on.
bool may_use_red_zone(const Insn& insn) {
  return std::any_of(insn.operands.begin(), insn.operands.begin() + insn.raw.operand_count,
                     reaches_below_stack);
}

// Instructions that a probe may sit on, in straight line from the first, dearest kinds left out,
// cheapest first. The kernel may turn a 5-byte nop into a call, which writes below %rsp: none where
// the function may keep something there already (its red zone).
std::vector<ProbeSite> cheaper_sites(code::CodeReader& reader, uint64_t start, uint64_t size,
                                     bool nop5) {
  std::vector<ProbeSite> sites;
  uint64_t at = start;
  bool red_zone = false;
  for (int i = 0; i < kInstructions && at - start < size; ++i) {
    const auto bytes = reader.at(at);
    const auto insn = code::decode(bytes, at);
    if (!insn) break;
    const KernelView view = kernel_view(*insn, bytes);
    const bool becomes_call = view.site == SiteKind::kNop5;
    if (at != start && view.site != SiteKind::kStepped && !view.refusal &&
        !(becomes_call && (red_zone || !nop5)))
      sites.push_back({at, view.site});
    if (!may_pass(*insn)) break;
    red_zone |= may_use_red_zone(*insn);
    at = insn->next();
  }
  std::ranges::stable_sort(sites, {}, [](const ProbeSite& site) {
    return site.kind == SiteKind::kJump ? SiteKind::kPush
                                        : site.kind;  // both are emulated behind one trap
  });
  return sites;
}

}  // namespace

ProbeSite place_entry(code::CodeReader& reader, const ProbeSite& first, uint64_t size, bool nop5,
                      const std::function<bool(uint64_t last)>& entered_within) {
  const bool dear = first.kind == SiteKind::kStepped;
  if (!dear && (nop5 || first.kind != SiteKind::kNop5)) return first;
  for (const ProbeSite& site : cheaper_sites(reader, first.vaddr, size, nop5))
    if (!entered_within(site.vaddr)) return site;
  return first;
}

uint16_t written_between(code::CodeReader& reader, uint64_t first, uint64_t entry) {
  uint16_t writes = 0;
  for (uint64_t at = first; at < entry;) {
    const auto insn = code::decode(reader.at(at), at);
    if (!insn) return UINT16_MAX;
    writes |= insn->writes;
    at = insn->next();
  }
  return writes;
}

}  // namespace compmond::uprobe
