// SPDX-License-Identifier: Apache-2.0
// code::CodeScanner on arbitrary code, held against walks through it: no way out of a function may
// be missing from exits that are said to be complete, and nothing may get around an entry probe
// that was moved.
#include <algorithm>
#include <optional>
#include <vector>

#include "bytes.h"
#include "check.h"
#include "code/scan.h"
#include "code_walk.h"
#include "crafted_elf.h"
#include "memory_file.h"

namespace compmond::fuzz {
namespace {

using code::ExitSite;
using code::FunctionScan;

constexpr uint64_t kWalks = 4;       // per function
constexpr uint64_t kFarthest = 256;  // bytes; a probe that far from the entry is a mistake

struct Scanned {
  uint64_t start = 0, size = 0;
  FunctionScan scan;
};

bool may_leave_own_range(const CraftedElf& elf) {
  return std::ranges::any_of(elf.functions, [](const Crafted& f) {
    return f.kind == Crafted::Kind::kNameless || f.kind == Crafted::Kind::kCold ||
           f.kind ==
               Crafted::Kind::kUnsized;  // its frame description may be found under another symbol
  });
}

void check_exits(const Code& code, const FunctionScan& scan) {
  FUZZ_CHECK(scan.exits_complete == scan.incomplete_reason.empty());
  if (!scan.exits_complete) return;
  const auto out_of_order =
      std::ranges::adjacent_find(scan.exits, std::ranges::greater_equal{}, &ExitSite::vaddr);
  FUZZ_CHECK(out_of_order == scan.exits.end());
  for (const ExitSite& exit : scan.exits) {
    const auto step = code.at(exit.vaddr);
    FUZZ_CHECK(step.has_value());
    const bool jumps = exit.condition == ExitSite::kAlways
                           ? step->insn.mnemonic == ZYDIS_MNEMONIC_JMP
                           : step->insn.meta.category == ZYDIS_CATEGORY_COND_BR;
    FUZZ_CHECK(exit.tail_jump ? jumps : step->near_ret());
    FUZZ_CHECK(exit.vaddr != scan.first.vaddr);
  }
}

// Straight on from the first instruction, with the return address on top of the stack all the way.
void check_entry(const Code& code, const FunctionScan& scan) {
  FUZZ_CHECK(scan.entry.vaddr >= scan.first.vaddr &&
             scan.entry.vaddr - scan.first.vaddr <= kFarthest);
  FUZZ_CHECK(scan.moved_by == scan.entry.vaddr - scan.first.vaddr);
  uint64_t at = scan.first.vaddr;
  while (at < scan.entry.vaddr) {
    const auto step = code.at(at);
    FUZZ_CHECK(step.has_value());
    FUZZ_CHECK(!step->changes_rsp());
    FUZZ_CHECK(step->insn.meta.branch_type == ZYDIS_BRANCH_TYPE_NONE);
    at = step->next();
  }
  FUZZ_CHECK(at == scan.entry.vaddr);
}

void check_walk(const Walk& walk, const Scanned& function, bool may_leave) {
  const FunctionScan& scan = function.scan;
  const bool listed = std::ranges::count(scan.exits, walk.last, &ExitSite::vaddr) == 1;
  if (scan.exits_complete) {
    if (walk.end == Walk::End::kRet) FUZZ_CHECK(listed);
    FUZZ_CHECK(walk.end != Walk::End::kUndecodable);
    if (!may_leave) FUZZ_CHECK(walk.end != Walk::End::kRanOut);
  }
  FUZZ_CHECK(std::ranges::count(walk.visited, scan.entry.vaddr) <= 1 || scan.moved_by == 0);
}

std::vector<Scanned> scan_all(const CraftedElf& elf, const elf::Image& image) {
  std::vector<Scanned> out;
  code::CodeScanner scanner(image);
  for (const elf::Symbol& symbol : image.symbols()) {
    auto scan = scanner.scan(symbol);
    if (!scan) {
      FUZZ_CHECK(scan.error().code == Exit::kData && !scan.error().why.empty());
      continue;
    }
    FUZZ_CHECK(scan->first.vaddr == symbol.vaddr);
    const uint64_t size = symbol.size > 0 ? symbol.size : image.fde_size(symbol.vaddr);
    out.push_back({symbol.vaddr, size, std::move(*scan)});
  }
  FUZZ_CHECK(out.size() <= elf.functions.size());
  return out;
}

// Overlapping functions and data among code may hide jumps; those that reading straight through
// sees must be respected.
void check_jumps(const Code& code, const std::vector<Scanned>& scanned,
                 const std::vector<Walk::Jump>& jumps, const elf::Image& image) {
  std::vector<uint64_t> starts;
  for (const elf::Symbol& symbol : image.symbols()) starts.push_back(symbol.vaddr);
  const std::vector<uint64_t> plain = straight_through(code, starts);
  for (const Walk::Jump& jump : jumps) {
    if (!std::ranges::binary_search(plain, jump.from)) continue;
    for (const Scanned& function : scanned)
      FUZZ_CHECK(jump.to <= function.scan.first.vaddr || jump.to > function.scan.entry.vaddr);
  }
}

void check_all(const CraftedElf& elf, const elf::Image& image) {
  const Code code{CraftedElf::kText, elf.text};
  const bool may_leave = may_leave_own_range(elf);
  const std::vector<Scanned> scanned = scan_all(elf, image);
  std::vector<Walk::Jump> jumps;
  for (const Scanned& function : scanned) {
    check_exits(code, function.scan);
    check_entry(code, function.scan);
    for (uint64_t i = 1; function.size > 0 && i <= kWalks; ++i) {
      const Walk taken = walk(code, function.start, function.size, i * 0x9e3779b97f4a7c15);
      check_walk(taken, function, may_leave);
      jumps.insert(jumps.end(), taken.jumps.begin(), taken.jumps.end());
    }
  }
  check_jumps(code, scanned, jumps, image);
}

}  // namespace
}  // namespace compmond::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace compmond;
  const fuzz::CraftedElf crafted(fuzz::Bytes(data, size));
  const auto image = elf::Image::open(fuzz::file_of(crafted.file), "input", "/nonexistent");
  FUZZ_CHECK(image.has_value() || crafted.text.empty());
  if (image) fuzz::check_all(crafted, *image);
  return 0;
}
