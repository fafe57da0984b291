// SPDX-License-Identifier: Apache-2.0
#include "code/paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "code/indirect.h"
#include "code/places.h"
#include "core/limits.h"

namespace compmond::code {
namespace {

constexpr int kRounds = 64;  // of resolving indirect jumps; each new table can uncover the next

class Explorer {
 public:
  Explorer(const Memory& memory, const Functions& functions, uint64_t start, uint64_t size)
      : memory_(memory),
        functions_(functions),
        start_(start),
        places_(memory, functions, start, size),
        paths_{Graph(memory, start), {}, {}, false, {}, false, false} {}

  Paths run() && {
    reach(start_, Stack{}, std::nullopt);
    settle();
    for (bool more = true; more && reason_.empty();) {
      more = enter_unreached();
      settle();
    }
    collect_exits();
    check_overlaps();
    paths_.complete = reason_.empty();
    paths_.reason = std::move(reason_);
    paths_.stretches = places_.stretches();
    std::ranges::sort(paths_.exits, {}, &ExitSite::vaddr);
    return std::move(paths_);
  }

 private:
  using Kind = Places::Kind;

  std::string place(uint64_t vaddr) const { return place_in(start_, vaddr); }
  // The first reason is the one that is told: later ones tend to follow from it.
  void give_up(std::string why) {
    if (reason_.empty()) reason_ = std::move(why);
  }
  void stray(std::string why) {
    paths_.stray = true;
    give_up(std::move(why));
  }

  // Control may come to `vaddr`, a place of this function, from the instruction at `from`.
  void reach(uint64_t vaddr, Stack stack, std::optional<uint64_t> from) {
    auto [it, fresh] = paths_.graph.nodes().try_emplace(vaddr);
    Node& node = it->second;
    if (from && std::ranges::find(node.from, *from) == node.from.end()) node.from.push_back(*from);
    if (fresh) {
      node.stack = stack;
      open_.push_back(vaddr);
    } else if (!unwinder_only_) {
      const Stack both = merge(node.stack, stack);
      if (both == node.stack) return;
      node.stack = both;
      open_.push_back(vaddr);
    }
  }

  // Follows everything that is open, and indirect jumps as they become clear.
  void settle() {
    for (int round = 0; round < kRounds; ++round) {
      while (!open_.empty()) {
        const uint64_t vaddr = open_.back();
        open_.pop_back();
        visit(vaddr);
        if (bytes_ > limits::kFunctionBytes) {
          open_.clear();
          return stray(fmt::format("it is longer than {} KiB", limits::kFunctionBytes >> 10));
        }
      }
      for (auto& [vaddr, jump] : indirect_) {
        jump = resolve_indirect(paths_.graph, memory_, vaddr);
        if (jump.kind == IndirectJump::Kind::kTable && !all_inside(jump)) jump = {};
        const Stack stack = paths_.graph.find(vaddr)->stack;
        for (const uint64_t target : jump.targets) reach(target, stack, vaddr);
      }
      if (open_.empty()) return;
    }
    stray("its jump tables lead to ever new ones");
  }

  bool all_inside(const IndirectJump& jump) {
    return std::ranges::all_of(jump.targets, [&](uint64_t target) {
      Kind kind = places_.classify(target);
      // What may be of another function's table is no reason to take code in.
      if (!jump.end_unknown && (kind == Kind::kNameless || kind == Kind::kWithin)) {
        places_.take_in(target);
        kind = Kind::kInside;
      }
      return kind == Kind::kInside;
    });
  }

  void visit(uint64_t vaddr) {
    const auto insn = paths_.graph.decode_at(vaddr);
    if (!insn) return stray(fmt::format("the bytes at {} are no instruction", place(vaddr)));
    Node& node = paths_.graph.nodes().at(vaddr);
    if (node.length == 0) bytes_ += insn->length;
    node.length = insn->length;
    node.flow = insn->flow;
    node.writes = insn->writes;
    node.target = insn->target;
    const Stack stack = after(*insn, node.stack);
    switch (insn->flow) {
      case Flow::kNext:
        return go_on(*insn, stack);
      case Flow::kCall:
        if (insn->target != start_ && places_.inside(insn->target))
          return stray(fmt::format("it calls its own middle at {}", place(vaddr)));
        // A callee at the very end does not return: compilers put nothing behind such a call.
        if (places_.inside(insn->next())) reach(insn->next(), stack, vaddr);
        return;
      case Flow::kCondJump:
        jump(*insn, stack);
        return go_on(*insn, stack);
      case Flow::kJump:
        return jump(*insn, stack);
      case Flow::kIndirectJump:
        indirect_.try_emplace(vaddr);
        return;
      case Flow::kRet:
      case Flow::kStop:
        return;
      case Flow::kForeign:
        return stray(fmt::format("a system or far transfer at {}", place(vaddr)));
    }
  }

  void go_on(const Insn& insn, Stack stack) {
    if (places_.inside(insn.next())) return reach(insn.next(), stack, insn.vaddr);
    give_up(fmt::format("it runs past its end at {}", place(insn.vaddr)));
  }

  // Follows a direct jump as far as it stays in the function; what leaves it is judged by
  // collect_exits.
  void jump(const Insn& insn, Stack stack) {
    if (insn.target == start_) paths_.restarts = true;
    if (is_thunk(insn.target))
      return stray(
          fmt::format("the jump at {} is an indirect one, by a retpoline", place(insn.vaddr)));
    if (leaves(insn.flow, insn.target, stack) == Kind::kInside)
      reach(insn.target, stack, insn.vaddr);
  }

  // A call that jumps to where a register points, kept from speculation: call; pause; lfence.
  bool is_thunk(uint64_t vaddr) const {
    constexpr std::array<uint8_t, 5> kWaits = {0xf3, 0x90, 0x0f, 0xae, 0xe8};
    constexpr uint8_t kCall = 0xe8;
    constexpr size_t kCallBytes = 5;
    const std::vector<uint8_t> code = memory_.read(vaddr, kCallBytes + kWaits.size());
    return code.size() == kCallBytes + kWaits.size() && code[0] == kCall &&
           std::equal(kWaits.begin(), kWaits.end(), code.begin() + kCallBytes);
  }

  // Code without a symbol is part of the function, unless it looks like a local function that a
  // jump tail-calls: entered at its start, with the stack as at entry. A jump behind the function's
  // end with another stack is what compilers leave behind a call that does not return.
  Kind leaves(Flow flow, uint64_t target, Stack stack) {
    const Kind kind = places_.classify(target);
    if (kind == Kind::kFunction && stack.depth != 0 && places_.ends_at(target)) return Kind::kEnd;
    if (kind == Kind::kNameless && flow == Flow::kJump && stack.depth == 0) return Kind::kFunction;
    if (kind != Kind::kNameless && kind != Kind::kWithin) return kind;
    places_.take_in(target);
    return Kind::kInside;
  }

  // Landing pads, and blocks behind calls that do not return: starts the first stretch that nothing
  // has reached. Their stack is unknown, and what they lead to keeps what is known about it.
  bool enter_unreached() {
    unwinder_only_ = true;
    for (; looked_at_ < places_.stretches().size(); ++looked_at_, offset_ = 0) {
      const elf::Image::Range stretch = places_.stretches()[looked_at_];
      while (offset_ < stretch.size) {
        const uint64_t at = stretch.vaddr + offset_;
        if (const Node* node = paths_.graph.find(at); node && node->length > 0) {
          offset_ += node->length;
          continue;
        }
        const auto insn = paths_.graph.decode_at(at);
        if (!insn) {
          stray(fmt::format("the bytes at {} are no instruction", place(at)));
          return false;
        }
        const bool padding = insn->raw.mnemonic == ZYDIS_MNEMONIC_NOP || insn->flow == Flow::kStop;
        if (!padding) {
          reach(at, Stack{Stack::kUnknown, Stack::kUnknown}, std::nullopt);
          return true;
        }
        offset_ += insn->length;
      }
    }
    return false;
  }

  void collect_exits() {
    for (const auto& [vaddr, node] : paths_.graph.nodes()) {
      if (node.flow == Flow::kRet) add_exit(vaddr, node, false);
      if (node.flow == Flow::kJump || node.flow == Flow::kCondJump) judge_jump(vaddr, node);
      if (node.flow == Flow::kIndirectJump) judge_indirect(vaddr, node);
    }
  }

  void judge_jump(uint64_t vaddr, const Node& node) {
    switch (leaves(node.flow, node.target, node.stack)) {
      case Kind::kFunction:
        return add_exit(vaddr, node, true);
      case Kind::kForeign: {
        const elf::Symbol* other = functions_.covering(node.target);
        return give_up(fmt::format("the jump at {} leads into the middle of {}", place(vaddr),
                                   other ? other->name : std::string("another function")));
      }
      case Kind::kNowhere:
        return give_up(fmt::format("the jump at {} leads to {:#x}, where no function is known",
                                   place(vaddr), node.target));
      default:
        return;
    }
  }

  void judge_indirect(uint64_t vaddr, const Node& node) {
    const auto known = indirect_.find(vaddr);
    if (known != indirect_.end() && known->second.kind == IndirectJump::Kind::kTable) return;
    if (known != indirect_.end() && known->second.kind == IndirectJump::Kind::kTailCall)
      return add_exit(vaddr, node, true);
    stray(
        fmt::format("the indirect jump at {} is neither a known jump table nor clearly a tail call",
                    place(vaddr)));
  }

  void add_exit(uint64_t vaddr, const Node& node, bool tail_jump) {
    if (node.stack.known() && node.stack.depth != 0)
      return give_up(fmt::format("at {} the stack is not as at entry ({:+} bytes)", place(vaddr),
                                 -node.stack.depth));
    const auto insn = paths_.graph.decode_at(vaddr);
    paths_.exits.push_back({vaddr, tail_jump, insn ? insn->condition : ExitSite::kAlways,
                            tail_jump && insn ? insn->target : 0});
  }

  void check_overlaps() {
    std::map<uint64_t, uint8_t> sorted;
    for (const auto& [vaddr, node] : paths_.graph.nodes()) sorted.emplace(vaddr, node.length);
    uint64_t end = 0;
    for (const auto& [vaddr, length] : sorted) {
      if (vaddr < end)
        return give_up(
            fmt::format("a jump leads into the middle of an instruction at {}", place(vaddr)));
      end = vaddr + length;
    }
  }

  const Memory& memory_;
  const Functions& functions_;
  const uint64_t start_;
  Places places_;
  Paths paths_;
  std::string reason_;
  std::vector<uint64_t> open_;
  std::map<uint64_t, IndirectJump> indirect_;
  uint64_t bytes_ = 0;
  bool unwinder_only_ = false;
  size_t looked_at_ = 0;  // enter_unreached has seen the stretches before this one,
  uint64_t offset_ = 0;   // and this one up to here
};

}  // namespace

std::string place_in(uint64_t start, uint64_t vaddr) {
  return vaddr >= start ? fmt::format("+{:#x}", vaddr - start) : fmt::format("{:#x}", vaddr);
}

Paths follow_paths(const Memory& memory, const Functions& functions, uint64_t start,
                   uint64_t size) {
  return Explorer(memory, functions, start, size).run();
}

}  // namespace compmond::code
