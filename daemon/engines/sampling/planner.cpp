// SPDX-License-Identifier: Apache-2.0
#include "sampler/planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "code/insn.h"
#include "code/memory.h"

namespace compmond::sampler {
namespace {

std::string name_at(const elf::Image& image, uint64_t vaddr) {
  const auto found = std::ranges::find(image.symbols(), vaddr, &elf::Symbol::vaddr);
  return vaddr == 0 || found == image.symbols().end() ? "another function" : found->demangled;
}

bool may_take_long(const code::Insn& insn) {
  constexpr ZydisInstructionAttributes kRepeated =
      ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE;
  return insn.raw.mnemonic == ZYDIS_MNEMONIC_SYSCALL || (insn.raw.attributes & kRepeated) != 0;
}

// A few instructions, one after the other: no sample will meet it, and what it is for is done
// elsewhere.
bool is_hardly_more_than_jump(const elf::Image& image, uint64_t start,
                              const std::vector<code::ExitSite>& exits) {
  constexpr int kFew = 8;
  if (exits.size() != 1 || exits[0].condition != code::ExitSite::kAlways) return false;
  const auto memory = code::memory_of(image);
  code::CodeReader reader(*memory);
  uint64_t at = start;
  for (int i = 0; i < kFew && at != exits[0].vaddr; ++i) {
    const auto insn = code::decode(reader.at(at), at);
    if (!insn || insn->flow != code::Flow::kNext || may_take_long(*insn)) return false;
    at = insn->next();
  }
  return at == exits[0].vaddr;
}

}  // namespace

std::vector<plan::Way> Planner::plan(const plan::Wanted& wanted) {
  plan::Way out;
  const elf::Image& image = *candidates_[wanted.image].image;
  code::CodeScanner& scanner = this->scanner(wanted.image);
  const auto scan = scanner.scan(wanted.function);
  out.code = scanner.parts(wanted.function);
  std::ranges::sort(out.code, {}, &elf::Image::Range::vaddr);
  out.ends_in_jump =
      scan && scan->exits_complete && std::ranges::any_of(scan->exits, &code::ExitSite::tail_jump);
  if (out.code.empty())
    out.reason =
        "nobody knows where it ends: neither its symbol nor unwind information says its size";
  else if (out.ends_in_jump && is_hardly_more_than_jump(image, wanted.function.vaddr, scan->exits))
    out.reason = fmt::format(
        "it is hardly more than a jump to {}, which has its time and is on stacks in its place: "
        "name that one",
        name_at(image, scan->exits[0].target));
  out.refused = !out.reason.empty();
  return {std::move(out)};
}

code::CodeScanner& Planner::scanner(size_t image) {
  if (!scanners_[image])
    scanners_[image] = std::make_unique<code::CodeScanner>(*candidates_[image].image);
  return *scanners_[image];
}

}  // namespace compmond::sampler
