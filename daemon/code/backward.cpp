// SPDX-License-Identifier: Apache-2.0
#include "code/backward.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_set>

namespace compmond::code {
namespace {

constexpr size_t kSteps =
    20'000;  // instructions looked at per definition; hoisted ones lie a loop away at most
constexpr size_t kBoundSteps =
    512;  // per bound: the comparison is near its jump, and the search recurses
constexpr int kBelow = 2, kNotAbove = 6;  // condition codes: jb, jbe; an odd one is the opposite
constexpr int kFlagSteps = 8;             // instructions between a comparison and its jump

bool same_place(const ZydisDecodedOperand& a, const ZydisDecodedOperand& b) {
  return a.mem.base == b.mem.base && a.mem.index == b.mem.index && a.mem.scale == b.mem.scale &&
         a.mem.segment == b.mem.segment && a.mem.disp.value == b.mem.disp.value;
}

// What is followed backwards: a register, or the memory that it was loaded from.
struct Value {
  int reg = -1;
  ZydisDecodedOperand memory{};
  uint64_t loaded_at = 0;           // instruction that loaded from `memory`
  std::optional<uint64_t> at_most;  // by its width
  bool is(const ZydisDecodedOperand& operand) const {
    if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER)
      return reg >= 0 && register_number(operand.reg.value) == reg;
    return is_memory(operand) && reg < 0 && same_place(operand, memory);
  }
};

bool keeps_flags(const Insn& insn) {
  if (insn.flow == Flow::kCondJump) return true;
  switch (insn.raw.mnemonic) {
    case ZYDIS_MNEMONIC_MOV:
    case ZYDIS_MNEMONIC_MOVZX:
    case ZYDIS_MNEMONIC_MOVSX:
    case ZYDIS_MNEMONIC_MOVSXD:
    case ZYDIS_MNEMONIC_LEA:
    case ZYDIS_MNEMONIC_NOP:
      return true;
    default:
      return false;
  }
}

bool writes_memory(const Insn& insn) {
  for (int i = 0; i < insn.raw.operand_count; ++i) {
    const ZydisDecodedOperand& operand = insn.operands[size_t(i)];
    if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY &&
        (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
      return true;
  }
  return false;
}

// Whether `copy` holds at `at` what `of` does: on all paths it was set by the same move from there
// of at least so many bits, since which neither changed.
bool is_copy(const Graph& graph, int copy, int of, uint64_t bits, uint64_t at) {
  std::vector<uint64_t> open{at};
  std::unordered_set<uint64_t> seen;
  std::optional<uint64_t> move;
  while (!open.empty()) {
    const Node* node = graph.find(open.back());
    open.pop_back();
    if (!node || node->from.empty()) return false;
    for (const uint64_t from : node->from) {
      if (!seen.insert(from).second) continue;
      const Node* before = graph.find(from);
      if (!before || seen.size() > kBoundSteps) return false;
      if ((before->writes >> copy) & 1) {
        if (move && *move != from) return false;
        move = from;
      } else if ((before->writes >> of) & 1) {
        return false;
      } else {
        open.push_back(from);
      }
    }
  }
  const auto insn = move ? graph.decode_at(*move) : std::nullopt;
  if (!insn || insn->raw.mnemonic != ZYDIS_MNEMONIC_MOV) return false;
  const ZydisDecodedOperand &to = insn->operands[0], &source = insn->operands[1];
  return to.type == ZYDIS_OPERAND_TYPE_REGISTER && source.type == ZYDIS_OPERAND_TYPE_REGISTER &&
         register_number(to.reg.value) == copy && register_number(source.reg.value) == of &&
         to.size >= std::max<uint64_t>(bits, 32);
}

class BoundSearch {
 public:
  explicit BoundSearch(const Graph& graph) : graph_(graph) {}

  std::optional<uint64_t> before(uint64_t vaddr, const Value& value) {
    const Node* node = graph_.find(vaddr);
    if (!node || node->from.empty()) return value.at_most;
    if (!seen_.insert({vaddr, value.reg, value.loaded_at}).second)
      return 0;  // a loop: its other ways in decide
    std::optional<uint64_t> most = 0;
    for (const uint64_t from : node->from) {
      const auto one = through(from, vaddr, value);
      if (!one) return std::nullopt;
      most = std::max(*most, *one);
    }
    return most;
  }

 private:
  // The bound when control comes from `vaddr` to `next`.
  std::optional<uint64_t> through(uint64_t vaddr, uint64_t next, Value value) {
    if (++steps_ > kBoundSteps) return value.at_most;
    const auto insn = graph_.decode_at(vaddr);
    if (!insn) return std::nullopt;
    if (insn->flow == Flow::kCondJump) {
      if (const auto bound = by_jump(*insn, next, value)) return bound;
      return before(vaddr, value);
    }
    if (value.reg < 0) {
      if (insn->flow == Flow::kCall || writes_memory(*insn)) return value.at_most;
      const auto& place = value.memory.mem;
      for (const ZydisRegister part : {place.base, place.index})
        if (const int number = register_number(part); number >= 0 && insn->writes_register(number))
          return value.at_most;
      return before(vaddr, value);
    }
    return insn->writes_register(value.reg) ? by_write(*insn, value) : before(vaddr, value);
  }

  // `cmp $n, value; ja/jae/jb/jbe`, on the side where the value is small.
  std::optional<uint64_t> by_jump(const Insn& jump, uint64_t next, const Value& value) const {
    if (jump.target == jump.next()) return std::nullopt;
    const int condition = next == jump.target ? jump.condition : jump.condition ^ 1;
    if (condition != kBelow && condition != kNotAbove) return std::nullopt;
    const uint64_t below = condition == kBelow;  // strictly
    uint64_t at = jump.vaddr;
    for (int i = 0; i < kFlagSteps; ++i) {
      const Node* node = graph_.find(at);
      if (!node || node->from.size() != 1) return std::nullopt;
      at = node->from.front();
      const auto insn = graph_.decode_at(at);
      if (!insn) return std::nullopt;
      if (insn->raw.mnemonic == ZYDIS_MNEMONIC_CMP) {
        const ZydisDecodedOperand& limit = insn->operands[1];
        if (limit.type != ZYDIS_OPERAND_TYPE_IMMEDIATE || !compares(*insn, value))
          return std::nullopt;
        const uint64_t bits = insn->operands[0].size;
        if (bits < 32 && (!value.at_most || *value.at_most >> bits != 0))
          return std::nullopt;  // says nothing about the rest of the register
        const uint64_t n =
            bits < 64 ? limit.imm.value.u & ((uint64_t(1) << bits) - 1) : limit.imm.value.u;
        if (n < below) return std::nullopt;
        return n - below;
      }
      if (!keeps_flags(*insn) || (value.reg >= 0 && insn->writes_register(value.reg)))
        return std::nullopt;
    }
    return std::nullopt;
  }

  // Whether what it compares is the value, or a copy of it.
  bool compares(const Insn& insn, const Value& value) const {
    const ZydisDecodedOperand& operand = insn.operands[0];
    if (value.is(operand)) return true;
    if (value.reg < 0 || operand.type != ZYDIS_OPERAND_TYPE_REGISTER) return false;
    const int other = register_number(operand.reg.value);
    return other >= 0 && (is_copy(graph_, other, value.reg, operand.size, insn.vaddr) ||
                          is_copy(graph_, value.reg, other, operand.size, insn.vaddr));
  }

  std::optional<uint64_t> by_write(const Insn& insn, const Value& value) {
    const ZydisDecodedOperand& to = insn.operands[0];
    const ZydisDecodedOperand& from = insn.operands[1];
    if (to.type != ZYDIS_OPERAND_TYPE_REGISTER || !value.is(to)) return value.at_most;
    switch (insn.raw.mnemonic) {
      case ZYDIS_MNEMONIC_AND:
        if (from.type == ZYDIS_OPERAND_TYPE_IMMEDIATE && from.imm.value.s >= 0)
          return from.imm.value.u;
        return value.at_most;
      case ZYDIS_MNEMONIC_MOV:
      case ZYDIS_MNEMONIC_MOVSX:
      case ZYDIS_MNEMONIC_MOVSXD:
      case ZYDIS_MNEMONIC_MOVZX:
        break;
      default:
        return value.at_most;
    }
    if (to.size < 32) return value.at_most;
    Value origin;
    origin.at_most = value.at_most;
    if (insn.raw.mnemonic == ZYDIS_MNEMONIC_MOVZX)
      origin.at_most = std::min(value.at_most.value_or(UINT64_MAX), (uint64_t(1) << from.size) - 1);
    if (from.type == ZYDIS_OPERAND_TYPE_REGISTER) {
      origin.reg = register_number(from.reg.value);
      if (origin.reg < 0) return origin.at_most;
    } else if (from.type == ZYDIS_OPERAND_TYPE_MEMORY) {
      origin.memory = from;
      origin.loaded_at = insn.vaddr;
    } else {
      return from.imm.value.u;
    }
    return before(insn.vaddr, origin);
  }

  const Graph& graph_;
  std::set<std::tuple<uint64_t, int, uint64_t>> seen_;
  size_t steps_ = 0;
};

struct Setters {
  std::vector<uint64_t> instructions;
  bool callers = false;  // on some path it holds what the caller put there
  bool known = true;     // these are all
};

// What may have set `reg` last before `vaddr`.
Setters setters(const Graph& graph, int reg, uint64_t vaddr) {
  Setters out;
  std::vector<uint64_t> open{vaddr};
  std::unordered_set<uint64_t> seen;
  while (!open.empty()) {
    const uint64_t at = open.back();
    open.pop_back();
    const Node* node = graph.find(at);
    out.callers = out.callers || at == graph.entry();
    if (!node || (node->from.empty() && at != graph.entry())) return {{}, false, false};
    for (const uint64_t from : node->from) {
      if (!seen.insert(from).second) continue;
      if (seen.size() > kSteps) return {{}, false, false};
      const Node* before = graph.find(from);
      if (before && (before->writes >> reg) & 1) {
        out.instructions.push_back(from);
      } else {
        open.push_back(from);
      }
    }
  }
  return out;
}

}  // namespace

std::optional<std::vector<uint64_t>> definitions(const Graph& graph, int reg, uint64_t vaddr) {
  Setters all = setters(graph, reg, vaddr);
  if (!all.known || all.callers) return std::nullopt;
  return std::move(all.instructions);
}

bool unset_before(const Graph& graph, int reg, uint64_t vaddr) {
  const Setters all = setters(graph, reg, vaddr);
  return all.known && all.callers && all.instructions.empty();
}

std::optional<uint64_t> upper_bound(const Graph& graph, int reg, uint64_t vaddr) {
  Value value;
  value.reg = reg;
  return BoundSearch(graph).before(vaddr, value);
}

}  // namespace compmond::code
