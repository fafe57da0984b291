// SPDX-License-Identifier: Apache-2.0
#include "code/indirect.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "code/backward.h"

namespace compmond::code {
namespace {

constexpr uint64_t kTableEntries = 16'384;  // of one switch; more is a misunderstanding
constexpr uint64_t kByteValues = 256;
constexpr int kCopies = 4;  // moves from register to register that are followed

bool is_register(const ZydisDecodedOperand& operand) {
  return operand.type == ZYDIS_OPERAND_TYPE_REGISTER;
}

class Resolver {
 public:
  Resolver(const Graph& graph, const Memory& memory) : graph_(graph), memory_(memory) {}

  IndirectJump resolve(uint64_t vaddr) {
    const auto jump = graph_.decode_at(vaddr);
    if (!jump) return {};
    const ZydisDecodedOperand& to = jump->operands[0];
    if (is_memory(to)) {
      if (to.mem.index == ZYDIS_REGISTER_NONE) return tail_call(vaddr);
      IndirectJump table = absolute_table(*jump, to);
      if (table.kind == IndirectJump::Kind::kTable || !loads_function()) return table;
      return tail_call(vaddr);
    }
    const int reg = register_number(to.reg.value);
    if (reg < 0) return {};
    if (IndirectJump tables = tables_of(reg, vaddr, kCopies);
        tables.kind == IndirectJump::Kind::kTable)
      return tables;
    return holds_function(reg, vaddr, kCopies) ? tail_call(vaddr) : IndirectJump{};
  }

 private:
  IndirectJump tail_call(uint64_t vaddr) const {
    const Node* node = graph_.find(vaddr);
    if (node && node->stack.depth == 0) return {IndirectJump::Kind::kTailCall, {}};
    return {};
  }

  // What every definition of `reg` takes out of a table, moves between registers followed.
  IndirectJump tables_of(int reg, uint64_t vaddr, int copies) const {
    const auto from = definitions(graph_, reg, vaddr);
    if (!from || from->empty()) return {};
    IndirectJump all{IndirectJump::Kind::kTable, {}};
    for (const uint64_t at : *from) {
      const IndirectJump one = table_of(at, copies);
      if (one.kind != IndirectJump::Kind::kTable) return {};
      all.targets.insert(all.targets.end(), one.targets.begin(), one.targets.end());
      all.end_unknown |= one.end_unknown;
    }
    return all;
  }

  IndirectJump table_of(uint64_t definition, int copies) const {
    const auto insn = graph_.decode_at(definition);
    if (!insn) return {};
    if (insn->raw.mnemonic == ZYDIS_MNEMONIC_ADD) return offset_table(*insn);
    if (insn->raw.mnemonic != ZYDIS_MNEMONIC_MOV) return {};
    const ZydisDecodedOperand& source = insn->operands[1];
    if (is_memory(source) && source.mem.index != ZYDIS_REGISTER_NONE)
      return absolute_table(*insn, source);
    const int next = is_register(source) ? register_number(source.reg.value) : -1;
    return next < 0 || copies == 0 ? IndirectJump{} : tables_of(next, definition, copies - 1);
  }

  // The one instruction that sets `reg` before `vaddr`, moves between registers followed.
  std::optional<Insn> single_definition(int reg, uint64_t vaddr) const {
    for (int i = 0; i < kCopies; ++i) {
      const auto from = definitions(graph_, reg, vaddr);
      if (!from || from->size() != 1) return std::nullopt;
      auto insn = graph_.decode_at(from->front());
      if (!insn || insn->raw.mnemonic != ZYDIS_MNEMONIC_MOV || !is_register(insn->operands[1]))
        return insn;
      vaddr = insn->vaddr;
      reg = register_number(insn->operands[1].reg.value);
      if (reg < 0) return std::nullopt;
    }
    return std::nullopt;
  }

  // The address that `reg` holds when every definition is a lea of the same place, perhaps moved
  // on.
  std::optional<uint64_t> fixed_value(int reg, uint64_t vaddr, int copies) const {
    const auto from = definitions(graph_, reg, vaddr);
    if (!from || from->empty()) return std::nullopt;
    std::optional<uint64_t> value;
    for (const uint64_t at : *from) {
      const auto insn = graph_.decode_at(at);
      std::optional<uint64_t> one;
      if (insn && insn->raw.mnemonic == ZYDIS_MNEMONIC_LEA) {
        one = fixed_address(*insn, insn->operands[1]);
      } else if (insn && insn->raw.mnemonic == ZYDIS_MNEMONIC_MOV &&
                 is_register(insn->operands[1]) && copies > 0) {
        const int source = register_number(insn->operands[1].reg.value);
        if (source >= 0) one = fixed_value(source, at, copies - 1);
      }
      if (!one || (value && *value != *one)) return std::nullopt;
      value = one;
    }
    return value;
  }

  // `movslq (base,index,4),%offset; add %base,%offset; jmp *%offset`, or with the sum in the other
  // register.
  IndirectJump offset_table(const Insn& add) const {
    if (!is_register(add.operands[0]) || !is_register(add.operands[1])) return {};
    const int one = register_number(add.operands[0].reg.value),
              other = register_number(add.operands[1].reg.value);
    if (one < 0 || other < 0 || one == other) return {};
    for (const auto& [offset, base] : {std::pair(one, other), std::pair(other, one)}) {
      const auto load = single_definition(offset, add.vaddr);
      if (!load || load->raw.mnemonic != ZYDIS_MNEMONIC_MOVSXD || !is_memory(load->operands[1]))
        continue;
      const auto& place = load->operands[1].mem;
      const int table_reg = register_number(place.base), index = register_number(place.index);
      if (table_reg < 0 || index < 0 || place.scale != 4 || place.disp.value != 0) continue;
      const auto table = fixed_value(table_reg, load->vaddr, kCopies);
      if (!table || fixed_value(base, add.vaddr, kCopies) != table) continue;
      return read_table(*table, index, load->vaddr, true);
    }
    return {};
  }

  // `jmp *table(,index,8)`, as code with fixed addresses does it.
  IndirectJump absolute_table(const Insn& insn, const ZydisDecodedOperand& operand) const {
    const int index = register_number(operand.mem.index);
    if (operand.mem.base != ZYDIS_REGISTER_NONE || operand.mem.scale != 8 || index < 0) return {};
    return read_table(uint64_t(operand.mem.disp.value), index, insn.vaddr, false);
  }

  IndirectJump read_table(uint64_t table, int index, uint64_t at, bool offsets) const {
    const auto last = upper_bound(graph_, index, at);
    if (!last || *last >= kTableEntries) return {};
    const uint64_t width = offsets ? 4 : 8, count = *last + 1;
    const auto bytes = memory_.read(table, count * width);
    if (bytes.size() != count * width) return {};
    IndirectJump out{IndirectJump::Kind::kTable, {}};
    // That an index is a byte is no bound that the compiler set: it knew a smaller one, and the
    // table ends earlier, at the latest where no code's address stands.
    const bool by_width = !offsets && count == kByteValues;
    for (uint64_t i = 0; i < count; ++i) {
      int32_t offset = 0;
      uint64_t address = 0;
      if (offsets) {
        std::memcpy(&offset, bytes.data() + i * width, width);
        address = table + uint64_t(int64_t(offset));
      } else {
        std::memcpy(&address, bytes.data() + i * width, width);
        out.end_unknown = by_width && i > 0 && !is_code(address);
        if (out.end_unknown) break;
      }
      out.targets.push_back(address);
    }
    return out;
  }

  bool is_code(uint64_t vaddr) const {
    return std::ranges::any_of(memory_.text(), [&](const elf::Image::Range& range) {
      return vaddr - range.vaddr < range.size;
    });
  }

  // What is loaded with an index is the address of a function: data holds none of a label. Tables
  // of labels that need no loader hold differences, which are added to something.
  bool loads_function() const {
    const uint64_t entry = graph_.entry(), size = memory_.region_size(entry);
    return size > 0 && !memory_.pointed_into(entry, entry + size - 1) &&
           std::ranges::none_of(graph_.nodes(), [&](const auto& node) {
             return node.first != entry && memory_.pointed_into(node.first - 1, node.first);
           });
  }

  // Every value that `reg` may have is an argument, a result of a call, a fixed address or loaded
  // without an index: the address of a function, for a label would come out of a table.
  bool holds_function(int reg, uint64_t vaddr, int copies) const {
    if (unset_before(graph_, reg, vaddr)) return true;
    const auto from = definitions(graph_, reg, vaddr);
    if (!from) return false;
    for (const uint64_t at : *from) {
      const auto insn = graph_.decode_at(at);
      if (!insn) return false;
      if (insn->flow == Flow::kCall) continue;
      if (!gives_function(*insn, reg, copies)) return false;
    }
    return !from->empty();
  }

  bool gives_function(const Insn& insn, int reg, int copies) const {
    const ZydisDecodedOperand& source = insn.operands[1];
    // The C library keeps pointers that way: rotated, and mixed with a number of the thread.
    const bool mixed = insn.raw.mnemonic == ZYDIS_MNEMONIC_ROR ||
                       (insn.raw.mnemonic == ZYDIS_MNEMONIC_XOR && is_memory(source) &&
                        source.mem.segment == ZYDIS_REGISTER_FS);
    if (mixed) return copies > 0 && holds_function(reg, insn.vaddr, copies - 1);
    if (insn.raw.mnemonic != ZYDIS_MNEMONIC_MOV) return false;
    if (is_memory(source)) return source.mem.index == ZYDIS_REGISTER_NONE || loads_function();
    const int next = is_register(source) ? register_number(source.reg.value) : -1;
    return next >= 0 && copies > 0 && holds_function(next, insn.vaddr, copies - 1);
  }

  const Graph& graph_;
  const Memory& memory_;
};

}  // namespace

IndirectJump resolve_indirect(const Graph& graph, const Memory& memory, uint64_t vaddr) {
  return Resolver(graph, memory).resolve(vaddr);
}

}  // namespace compmond::code
