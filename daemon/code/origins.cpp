// SPDX-License-Identifier: Apache-2.0
#include "code/origins.h"

#include <algorithm>
#include <utility>

namespace compmond::code {
namespace {

constexpr size_t kStepsPerQuestion = 20'000;  // instructions looked at per question
constexpr int kDepth = 200;                   // moves from one place to the next
constexpr int kRax = 0;
constexpr uint16_t kArguments = 0x03c6;  // rcx, rdx, rsi, rdi, r8, r9

// Two values added up: an address on the stack stays one whatever is added to it.
unsigned sum(unsigned one, unsigned other) {
  return (one | other) & Origins::kOwn ? Origins::kOwn : one | other;
}

bool looks_alike(const ZydisDecodedOperand& a, const ZydisDecodedOperand& b) {
  return a.mem.base == b.mem.base && a.mem.index == b.mem.index &&
         a.mem.disp.value == b.mem.disp.value;
}

}  // namespace

Origins::Origins(const Graph& graph, bool entered_anywhere)
    : graph_(graph), entered_anywhere_(entered_anywhere) {}

unsigned Origins::before(int reg, uint64_t vaddr) {
  begin();
  return follow(reg, vaddr);
}

unsigned Origins::written(const Insn& insn, int reg) {
  begin();
  return defined(insn, reg);
}

unsigned Origins::follow(int reg, uint64_t vaddr) {
  if (reg == kRsp) return kOwn;
  if (depth_ > kDepth) return kUnknown;
  ++depth_;
  unsigned out = 0;
  std::vector<uint64_t> open{vaddr};
  while (!open.empty() && seen_.size() < kStepsPerQuestion) {
    const uint64_t at = open.back();
    open.pop_back();
    const Node* node = graph_.find(at);
    if (!node) continue;
    const bool entered = at == graph_.entry() || (node->from.empty() && entered_anywhere_);
    if (entered || node->from.empty())
      out |= entered && ((kArguments >> reg) & 1) ? kForeign : kUnknown;
    for (const uint64_t from : node->from) {
      if (!seen_.insert({reg, from}).second) continue;
      const Node* earlier = graph_.find(from);
      if (!earlier || !((earlier->writes >> reg) & 1))
        open.push_back(from);
      else if (const auto insn = graph_.decode_at(from))
        out |= defined(*insn, reg);
    }
  }
  --depth_;
  return out;
}

unsigned Origins::defined(const Insn& insn, int reg) {
  if (insn.flow == Flow::kCall) return reg == kRax ? kForeign : kUnknown;
  const ZydisDecodedOperand &to = insn.operands[0], &from = insn.operands[1];
  const bool direct =
      to.type == ZYDIS_OPERAND_TYPE_REGISTER && register_number(to.reg.value) == reg;
  switch (insn.raw.mnemonic) {
    case ZYDIS_MNEMONIC_MOV:
      return source(insn, from);
    case ZYDIS_MNEMONIC_LEA:
      return address(insn, from);
    case ZYDIS_MNEMONIC_XCHG:
      return source(insn, direct ? from : to);
    case ZYDIS_MNEMONIC_ADD:
    case ZYDIS_MNEMONIC_SUB:
    case ZYDIS_MNEMONIC_AND:
    case ZYDIS_MNEMONIC_OR:
      if (from.type == ZYDIS_OPERAND_TYPE_IMMEDIATE) return follow(reg, insn.vaddr);
      return sum(follow(reg, insn.vaddr), source(insn, from));
    case ZYDIS_MNEMONIC_INC:
    case ZYDIS_MNEMONIC_DEC:
      return follow(reg, insn.vaddr);
    case ZYDIS_MNEMONIC_POP:
      return popped(insn);
    case ZYDIS_MNEMONIC_LEAVE:
      return reg == kRbp ? kUnknown : kOwn;
    default:
      if (insn.raw.meta.category == ZYDIS_CATEGORY_CMOV)
        return follow(reg, insn.vaddr) | source(insn, from);
      return kForeign;
  }
}

unsigned Origins::source(const Insn& insn, const ZydisDecodedOperand& operand) {
  if (operand.type == ZYDIS_OPERAND_TYPE_IMMEDIATE) return kConstant;
  if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER) {
    const int number = register_number(operand.reg.value);
    return number < 0 ? kForeign : follow(number, insn.vaddr);
  }
  return lies_on_stack(insn, operand) ? on_stack(insn, operand) : kForeign;
}

unsigned Origins::address(const Insn& insn, const ZydisDecodedOperand& operand) {
  unsigned out = 0;
  for (const ZydisRegister part : {operand.mem.base, operand.mem.index}) {
    if (part == ZYDIS_REGISTER_RIP) return kForeign;
    if (const int number = register_number(part); number >= 0)
      out = sum(out, follow(number, insn.vaddr));
  }
  return out;
}

bool Origins::lies_on_stack(const Insn& insn, const ZydisDecodedOperand& operand) {
  if (operand.mem.segment == ZYDIS_REGISTER_FS || operand.mem.segment == ZYDIS_REGISTER_GS)
    return false;
  const int base = register_number(operand.mem.base);
  if (base < 0) return false;
  const auto [known, fresh] = on_stack_.try_emplace({insn.vaddr, base}, false);
  if (!fresh) return known->second;
  // A question of its own: what it passes must still count for the one that asks.
  auto seen = std::exchange(seen_, {});
  known->second = (follow(base, insn.vaddr) & (kForeign | kConstant)) == 0;
  seen_ = std::move(seen);
  return known->second;
}

int64_t Origins::depth_of(uint64_t vaddr, const ZydisDecodedOperand& operand) const {
  const Node* node = graph_.find(vaddr);
  if (!node || operand.mem.index != ZYDIS_REGISTER_NONE) return Stack::kUnknown;
  const int64_t base = operand.mem.base == ZYDIS_REGISTER_RSP   ? node->stack.depth
                       : operand.mem.base == ZYDIS_REGISTER_RBP ? node->stack.frame
                                                                : Stack::kUnknown;
  return base == Stack::kUnknown ? base : base - operand.mem.disp.value;
}

// What the function put into a place on its stack, wherever it did so.
unsigned Origins::on_stack(const Insn& insn, const ZydisDecodedOperand& operand) {
  const int64_t depth = depth_of(insn.vaddr, operand);
  unsigned out = 0;
  for (const Store& store : stores()) {
    const bool known = depth != Stack::kUnknown && store.depth != Stack::kUnknown;
    const bool same =
        known ? depth == store.depth
              : is_memory(store.insn.operands[0]) && looks_alike(store.insn.operands[0], operand);
    if (same && seen_.insert({-1, store.insn.vaddr}).second)
      out |= follow(store.reg, store.insn.vaddr);
  }
  return out;
}

unsigned Origins::popped(const Insn& insn) {
  const Node* node = graph_.find(insn.vaddr);
  if (!node || !node->stack.known()) return kUnknown;
  unsigned out = 0;
  for (const Store& store : stores())
    if (store.depth == node->stack.depth && seen_.insert({-1, store.insn.vaddr}).second)
      out |= follow(store.reg, store.insn.vaddr);
  return out;
}

const std::vector<Origins::Store>& Origins::stores() {
  if (stores_) return *stores_;
  stores_.emplace();
  for (const auto& [vaddr, node] : graph_.nodes()) {
    const auto insn = node.length > 0 ? graph_.decode_at(vaddr) : std::nullopt;
    if (!insn) continue;
    const ZydisDecodedOperand &to = insn->operands[0], &from = insn->operands[1];
    if (insn->raw.mnemonic == ZYDIS_MNEMONIC_PUSH && to.type == ZYDIS_OPERAND_TYPE_REGISTER)
      stores_->push_back({*insn, after(*insn, node.stack).depth, register_number(to.reg.value)});
    else if (insn->raw.mnemonic == ZYDIS_MNEMONIC_MOV && is_memory(to) &&
             from.type == ZYDIS_OPERAND_TYPE_REGISTER && from.size == 64)
      stores_->push_back({*insn, depth_of(vaddr, to), register_number(from.reg.value)});
  }
  std::erase_if(*stores_, [](const Store& store) { return store.reg < 0; });
  return *stores_;
}

// Whether %rbp is ever made %rsp again: a function that does not return has a frame for nothing.
bool Origins::comes_back_by_frame() const {
  return std::ranges::any_of(graph_.nodes(), [&](const auto& one) {
    if (!((one.second.writes >> kRsp) & 1)) return false;
    const auto insn = graph_.decode_at(one.first);
    if (!insn) return false;
    const ZydisDecodedOperand& from = insn->operands[1];
    switch (insn->raw.mnemonic) {
      case ZYDIS_MNEMONIC_LEAVE:
        return true;
      case ZYDIS_MNEMONIC_MOV:
        return from.type == ZYDIS_OPERAND_TYPE_REGISTER && from.reg.value == ZYDIS_REGISTER_RBP;
      case ZYDIS_MNEMONIC_LEA:
        return from.mem.base == ZYDIS_REGISTER_RBP;
      default:
        return false;
    }
  });
}

bool Origins::keeps_stack_pointer(uint64_t vaddr) {
  const auto insn = graph_.decode_at(vaddr);
  if (insn && insn->raw.mnemonic == ZYDIS_MNEMONIC_XCHG) return true;
  for (int reg = 0; reg < 16; ++reg)
    if (reg != kRsp && (reg != kRbp || comes_back_by_frame()) && (before(reg, vaddr) & kOwn))
      return true;
  return std::ranges::any_of(stores(), [&](const Store& store) {
    if (!is_memory(store.insn.operands[0])) return false;
    if (!(before(store.reg, store.insn.vaddr) & kOwn)) return false;
    begin();
    return !lies_on_stack(store.insn, store.insn.operands[0]);
  });
}

}  // namespace compmond::code
