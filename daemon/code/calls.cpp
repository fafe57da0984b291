// SPDX-License-Identifier: Apache-2.0
#include "code/calls.h"

#include <fmt/format.h>

#include <algorithm>

#include "code/paths.h"
#include "code/places.h"

namespace compmond::code {
namespace {

bool reads_depth_zero(const Insn& insn, Stack stack) {
  if (insn.flow == Flow::kRet || insn.raw.mnemonic == ZYDIS_MNEMONIC_LEA) return false;
  return std::any_of(insn.operands.begin(), insn.operands.begin() + insn.raw.operand_count,
                     [&](const ZydisDecodedOperand& operand) {
                       return (operand.actions & ZYDIS_OPERAND_ACTION_MASK_READ) &&
                              address_depth(operand, stack) == 0;
                     });
}

// One function's paths, looked through once.
class Reading {
 public:
  explicit Reading(const Paths& paths) : paths_(paths) {}

  Calls run() && {
    if (!paths_.complete) unknown(paths_.reason);
    for (const auto& [vaddr, node] : paths_.graph.nodes()) {
      const auto insn = paths_.graph.decode_at(vaddr);
      if (!insn) continue;  // paths_.reason says so
      calls_.reads_return_address |= reads_depth_zero(*insn, node.stack);
      if (node.flow == Flow::kCall) leave(*insn, false);
    }
    for (const ExitSite& exit : paths_.exits) {
      if (!exit.tail_jump) continue;
      if (const auto insn = paths_.graph.decode_at(exit.vaddr)) leave(*insn, true);
    }
    if (first_pointer_ != UINT64_MAX)
      unknown(fmt::format("it calls through a pointer at {}",
                          place_in(paths_.graph.entry(), first_pointer_)));
    return std::move(calls_);
  }

 private:
  void unknown(std::string why) {
    if (calls_.unknown.empty()) calls_.unknown = std::move(why);
  }

  void leave(const Insn& insn, bool tail) {
    if (insn.target != 0) return calls_.targets.push_back({insn.target, false, tail});
    const auto slot = fixed_address(insn, insn.operands[0]);
    if (slot) return calls_.targets.push_back({*slot, true, tail});
    first_pointer_ = std::min(first_pointer_, insn.vaddr);
  }

  const Paths& paths_;
  Calls calls_;
  uint64_t first_pointer_ = UINT64_MAX;
};

}  // namespace

struct CallReader::Impl {
  explicit Impl(const elf::Image& of)
      : image(of), memory(memory_of(of)), functions(of.symbols()), reader(*memory) {}

  uint64_t size_of(uint64_t vaddr) const {
    const elf::Symbol* symbol = functions.at(vaddr);
    return symbol && symbol->size > 0 ? symbol->size : image.fde_size(vaddr);
  }

  const elf::Image& image;
  std::unique_ptr<Memory> memory;
  Functions functions;
  CodeReader reader;
};

CallReader::CallReader(const elf::Image& image) : impl_(std::make_unique<Impl>(image)) {}
CallReader::~CallReader() = default;

Calls CallReader::read(uint64_t vaddr) {
  if (const auto slot = linkage_slot(impl_->reader, vaddr)) {
    Calls out;
    out.targets.push_back({*slot, true, true});
    return out;
  }
  const uint64_t size = impl_->size_of(vaddr);
  if (size == 0) {
    Calls out;
    out.unknown = "nothing says how long it is";
    return out;
  }
  const Paths paths = follow_paths(*impl_->memory, impl_->functions, vaddr, size);
  Calls out = Reading(paths).run();
  for (Calls::Target& target : out.targets)
    if (const auto slot = target.slot ? std::nullopt : linkage_slot(impl_->reader, target.vaddr))
      target = {*slot, true, target.tail};
  return out;
}

}  // namespace compmond::code
