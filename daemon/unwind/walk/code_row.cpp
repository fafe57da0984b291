// SPDX-License-Identifier: Apache-2.0
#include "walk/code_row.h"

#include <array>
#include <deque>
#include <optional>
#include <unordered_set>

#include "code/graph.h"
#include "walk/expression.h"

namespace compmond::unwind {
namespace {

using code::Flow;
using code::Insn;
using code::Stack;

constexpr int kMostInstructions = 1000;      // of the C library's functions few need more than 100
constexpr int64_t kMostFrameBytes = 30'000;  // of a frame, as Row can say

// What is known on a way, relative to where a register pointed at its begin.
struct Relative {
  Stack stack;
  std::array<int64_t, kSaved.size()> taken{};  // depth of the slot that each was restored from

  explicit Relative(Stack at) : stack(at) { taken.fill(Stack::kUnknown); }
  void pass(const Insn& insn) {
    if (insn.raw.mnemonic == ZYDIS_MNEMONIC_POP) restore(insn.operands[0].reg.value, stack.depth);
    if (insn.raw.mnemonic == ZYDIS_MNEMONIC_LEAVE) restore(ZYDIS_REGISTER_RBP, stack.frame);
    stack = code::after(insn, stack);
  }

 private:
  void restore(ZydisRegister reg, int64_t depth) {
    const int number = code::register_number(reg);
    for (size_t i = 0; i + 1 < kSaved.size(); ++i)
      if (number == (kSaved[i] == kRbp ? code::kRbp : int(kSaved[i]))) taken[i] = depth;
  }
};

struct Way {
  uint64_t vaddr = 0;
  int calls = 0;  // that it passed
  Relative to_sp{{.depth = 0, .frame = Stack::kUnknown}};
  Relative to_rbp{{.depth = Stack::kUnknown, .frame = 0}};
};

// The row of a way that has come to a return.
Row row_of(const Way& way) {
  const bool by_sp = way.to_sp.stack.known();
  const Relative& known = by_sp ? way.to_sp : way.to_rbp;
  const int64_t depth = known.stack.depth;  // of the slot that holds the return address
  if (!known.stack.known() || depth > kMostFrameBytes || depth < -kMostFrameBytes) return {};
  Row out{.kind = Row::Kind::kPlain,
          .cfa_register = uint8_t(by_sp ? kRsp : kRbp),
          .cfa_offset = int32_t(8 - depth)};
  out.at.fill(Row::kSame);
  out.at.back() = -8;
  for (size_t i = 0; i + 1 < kSaved.size(); ++i) {
    const int64_t taken = known.taken[i];
    if (taken != Stack::kUnknown && taken - depth < kMostFrameBytes && taken - depth > 0)
      out.at[i] = int16_t(depth - taken - 8);
  }
  return out;
}

bool agree(const Row& one, const Row& other) {
  return one.cfa_register == other.cfa_register && one.cfa_offset == other.cfa_offset;
}

class Search {
 public:
  Search(const code::Memory& memory, uint64_t pc) : reader_(memory) { go(Way{.vaddr = pc}); }

  Row run() {
    std::optional<Row> found;
    int calls = 0;  // on the way to what was found
    for (int count = 0; !ways_.empty() && count < kMostInstructions; ++count) {
      Way way = ways_.front();
      ways_.pop_front();
      if (found && way.calls > calls) break;
      const auto insn = code::decode(reader_.at(way.vaddr), way.vaddr);
      if (!insn) continue;
      if (insn->flow != Flow::kRet) {
        pass(std::move(way), *insn);
        continue;
      }
      const Row row = row_of(way);
      if (row.kind == Row::Kind::kUnknown || (found && !agree(*found, row))) return {};
      if (!found) calls = way.calls;
      if (!found) found = row;
    }
    return found.value_or(Row());
  }

 private:
  void pass(Way way, const Insn& insn) {
    way.to_sp.pass(insn);
    way.to_rbp.pass(insn);
    if (insn.flow == Flow::kCall) ++way.calls;
    const bool on = insn.flow == Flow::kNext || insn.flow == Flow::kCall;
    const bool jump = insn.flow == Flow::kJump || insn.flow == Flow::kCondJump;
    if (jump && insn.target != 0) {
      way.vaddr = insn.target;
      go(way);
    }
    if (!on && insn.flow != Flow::kCondJump) return;
    way.vaddr = insn.next();
    go(std::move(way));
  }

  // Those that passed fewer calls come first.
  void go(Way way) {
    if (!seen_.insert(way.vaddr).second) return;
    if (ways_.empty() || way.calls <= ways_.front().calls)
      ways_.push_front(std::move(way));
    else
      ways_.push_back(std::move(way));
  }

  code::CodeReader reader_;
  std::unordered_set<uint64_t> seen_;
  std::deque<Way> ways_;
};

}  // namespace

Row row_by_code(const code::Memory& memory, uint64_t pc) { return Search(memory, pc).run(); }

}  // namespace compmond::unwind
