// SPDX-License-Identifier: Apache-2.0
#include "code/switches.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "code/origins.h"
#include "code/paths.h"
#include "code/stack_loads.h"
#include "core/limits.h"

namespace compmond::code {
namespace {

using Range = elf::Image::Range;

constexpr uint64_t kAround = 512;  // bytes on either side of a load in code that nothing describes

// A stretch of code that is read as a whole.
struct Region {
  Range range;
  bool described = false;  // one function, by its symbol or unwind information
  std::string name;
};

bool is_of_c_library(std::string_view name) {
  constexpr std::array<std::string_view, 3> kKnown = {"swapcontext", "setcontext", "getcontext"};
  name.remove_prefix(std::min(name.find_first_not_of('_'), name.size()));
  return std::ranges::find(kKnown, name) != kKnown.end();
}

class Search {
 public:
  explicit Search(const elf::Image& image)
      : image_(image),
        memory_(memory_of(image)),
        functions_(image.symbols()),
        described_(image.described()) {}

  StackSwitches run() {
    Region region;
    std::vector<uint64_t> loads;
    StackSwitches out;
    for_each_stack_load(image_, *memory_, [&](uint64_t vaddr, const Range& section) {
      if (!region.range.size || vaddr - region.range.vaddr >= region.range.size) {
        if (judge(region, loads, out)) return false;
        region = region_of(vaddr, section);
        loads.clear();
      }
      loads.push_back(vaddr);
      return true;
    });
    if (out.found.empty()) judge(region, loads, out);
    return out;
  }

 private:
  // Whether the search is over.
  bool judge(const Region& region, std::vector<uint64_t>& loads, StackSwitches& out) {
    if (region.range.size == 0 || is_of_c_library(region.name)) return false;
    keep_instructions(region, loads);
    if (loads.empty()) return false;
    if (++read_ > limits::kSwitchFunctions) {
      out.whole = false;
      return true;
    }
    const Paths paths = follow_paths(*memory_, functions_, region.range.vaddr, region.range.size);
    for (const uint64_t vaddr : loads)
      if (switches(paths.graph, vaddr, !region.described)) {
        out.found = region.name.empty() ? fmt::format("the code at {:#x}", vaddr) : region.name;
        return true;
      }
    return false;
  }

  static bool switches(const Graph& graph, uint64_t vaddr, bool entered_anywhere) {
    const Node* node = graph.find(vaddr);
    const auto insn = node && node->length > 0 ? graph.decode_at(vaddr) : std::nullopt;
    if (!insn || !insn->writes_register(kRsp)) return false;
    // Tables between functions look like this one now and then.
    if (entered_anywhere && insn->raw.mnemonic == ZYDIS_MNEMONIC_XCHG) return false;
    Origins origins(graph, entered_anywhere);
    // Giving back what was taken below %rsp adds a number to it; moving it within another stack, or
    // between a stack and its copy, what was computed.
    const unsigned foreign = insn->raw.mnemonic == ZYDIS_MNEMONIC_ADD
                                 ? Origins::kForeign
                                 : Origins::kForeign | Origins::kConstant;
    const unsigned loaded = insn->raw.mnemonic == ZYDIS_MNEMONIC_ADD ? added(origins, *insn)
                                                                     : origins.written(*insn, kRsp);
    // What may be its own by one path is so by all: compilers decide one thing in several places.
    return (loaded & foreign) != 0 && (loaded & (Origins::kOwn | Origins::kUnknown)) == 0 &&
           origins.keeps_stack_pointer(vaddr);
  }

  static unsigned added(Origins& origins, const Insn& insn) {
    const ZydisDecodedOperand& from = insn.operands[1];
    const int reg = from.type == ZYDIS_OPERAND_TYPE_REGISTER ? register_number(from.reg.value) : -1;
    return reg < 0 ? Origins::kForeign : origins.before(reg, insn.vaddr);
  }

  // Drops what decoding from the region's start does not come to.
  void keep_instructions(const Region& region, std::vector<uint64_t>& loads) const {
    if (loads.empty()) return;
    const uint64_t size = std::min<uint64_t>(region.range.size, limits::kFunctionBytes);
    const auto bytes = memory_->read(region.range.vaddr, size);
    size_t at = 0;
    std::erase_if(loads, [&](uint64_t vaddr) {
      const uint64_t wanted = vaddr - region.range.vaddr;
      while (at < wanted && at < bytes.size()) at += std::max<size_t>(length_at(bytes, at), 1);
      return at != wanted;
    });
  }

  static uint8_t length_at(std::span<const uint8_t> bytes, size_t at) {
    const std::span rest = bytes.subspan(at);
    return step(rest.first(std::min(rest.size(), kLongestInsn)), 0).length;
  }

  Region region_of(uint64_t vaddr, const Range& section) const {
    if (const elf::Symbol* symbol = functions_.covering(vaddr))
      return {{symbol->vaddr, symbol->size}, true, symbol->demangled};
    const auto next = std::ranges::upper_bound(described_, vaddr, {}, &Range::vaddr);
    if (next != described_.begin())
      if (const Range& one = *std::prev(next); vaddr - one.vaddr < one.size) return {one, true, {}};
    return between(vaddr, section, next);
  }

  // Between what is described, or some bytes of that.
  Region between(uint64_t vaddr, const Range& section,
                 std::vector<Range>::const_iterator next) const {
    uint64_t begin = std::max(section.vaddr, vaddr - std::min(vaddr, kAround));
    uint64_t end = std::min(section.vaddr + section.size, vaddr + kAround);
    if (next != described_.end()) end = std::min(end, next->vaddr);
    if (next != described_.begin())
      begin = std::max(begin, std::prev(next)->vaddr + std::prev(next)->size);
    const auto& all = functions_.all();
    const auto after = std::ranges::upper_bound(all, vaddr, {}, &elf::Symbol::vaddr);
    if (after != all.end()) end = std::min(end, (*after)->vaddr);
    if (after != all.begin())
      begin = std::max(begin, (*std::prev(after))->vaddr + (*std::prev(after))->size);
    const auto start = straight_to(begin, vaddr);
    return start ? Region{{*start, end - *start}, false, {}} : Region{};
  }

  // Where the code begins, not before `begin`, that runs straight to `vaddr`: behind what never
  // goes on. Decoding that begins anywhere soon meets the instructions that are meant: if those do
  // not come to `vaddr`, none is there.
  std::optional<uint64_t> straight_to(uint64_t begin, uint64_t vaddr) const {
    const auto bytes = memory_->read(begin, vaddr - begin);
    size_t start = 0;
    for (size_t at = 0; at < bytes.size();) {
      const std::span rest = std::span(bytes).subspan(at);
      const auto insn = decode(rest.first(std::min(rest.size(), kLongestInsn)), begin + at);
      at += insn ? insn->length : 1;
      if (at > bytes.size()) return std::nullopt;
      const bool goes_on = insn && (insn->flow == Flow::kNext || insn->flow == Flow::kCall ||
                                    insn->flow == Flow::kCondJump);
      const bool padding = insn && insn->raw.mnemonic == ZYDIS_MNEMONIC_NOP;
      if (!goes_on || (padding && start + insn->length == at)) start = at;
    }
    return begin + start;
  }

  const elf::Image& image_;
  std::unique_ptr<Memory> memory_;
  Functions functions_;
  std::vector<Range> described_;
  size_t read_ = 0;
};

}  // namespace

StackSwitches find_stack_switches(const elf::Image& image) { return Search(image).run(); }

}  // namespace compmond::code
