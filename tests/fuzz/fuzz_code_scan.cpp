// SPDX-License-Identifier: Apache-2.0
// code::CodeScanner, and uprobe::SiteFinder on top of it, on arbitrary code, held against walks
// through it: no way out of a function may be missing from exits that are said to be complete, and
// nothing may get around an entry probe that was moved.
#include <algorithm>
#include <optional>
#include <vector>

#include "bytes.h"
#include "check.h"
#include "code/scan.h"
#include "code_walk.h"
#include "crafted_elf.h"
#include "memory_file.h"
#include "uprobe_sites/finder.h"

namespace compmond::fuzz {
namespace {

using code::ExitSite;
using code::FunctionScan;
using uprobe::FunctionSites;

constexpr uint64_t kWalks = 4;       // per function
constexpr uint64_t kFarthest = 256;  // bytes; a probe that far from the entry is a mistake

struct Scanned {
  uint64_t start = 0;
  FunctionScan scan;
  FunctionSites sites;  // of a function that takes no probe: its first instruction
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
  }
}

// All of a function's exits, or a reason; none of them is where the entry probe may stay.
void check_usable(const Scanned& function) {
  const FunctionSites& sites = function.sites;
  FUZZ_CHECK(sites.exits_complete == sites.incomplete_reason.empty());
  if (!sites.exits_complete) return;
  FUZZ_CHECK(function.scan.exits_complete && sites.exits.size() == function.scan.exits.size());
  FUZZ_CHECK(std::ranges::count(sites.exits, sites.first.vaddr, &ExitSite::vaddr) == 0);
  FUZZ_CHECK(std::ranges::count(sites.exits, ExitSite::kNoFlag, &ExitSite::condition) == 0);
}

// Straight on from the first instruction, with the return address on top of the stack all the way.
void check_entry(const Code& code, const FunctionSites& sites) {
  FUZZ_CHECK(sites.entry.vaddr >= sites.first.vaddr &&
             sites.entry.vaddr - sites.first.vaddr <= kFarthest);
  FUZZ_CHECK(sites.moved_by == sites.entry.vaddr - sites.first.vaddr);
  uint64_t at = sites.first.vaddr;
  while (at < sites.entry.vaddr) {
    const auto step = code.at(at);
    FUZZ_CHECK(step.has_value());
    FUZZ_CHECK(!step->changes_rsp());
    FUZZ_CHECK(step->insn.meta.branch_type == ZYDIS_BRANCH_TYPE_NONE);
    at = step->next();
  }
  FUZZ_CHECK(at == sites.entry.vaddr);
}

void check_walk(const Walk& walk, const Scanned& function, bool may_leave) {
  const FunctionScan& scan = function.scan;
  const bool listed = std::ranges::count(scan.exits, walk.last, &ExitSite::vaddr) == 1;
  if (scan.exits_complete) {
    if (walk.end == Walk::End::kRet) FUZZ_CHECK(listed);
    FUZZ_CHECK(walk.end != Walk::End::kUndecodable);
    if (!may_leave) FUZZ_CHECK(walk.end != Walk::End::kRanOut);
  }
  const FunctionSites& sites = function.sites;
  FUZZ_CHECK(std::ranges::count(walk.visited, sites.entry.vaddr) <= 1 || sites.moved_by == 0);
}

std::vector<Scanned> scan_all(const CraftedElf& elf, const elf::Image& image) {
  std::vector<Scanned> out;
  code::CodeScanner scanner(image);
  uprobe::SiteFinder finder(image, true);
  for (const elf::Symbol& symbol : image.symbols()) {
    auto scan = scanner.scan(symbol);
    auto sites = finder.find(symbol);
    if (!sites) {
      FUZZ_CHECK(sites.error().code == Exit::kData && !sites.error().why.empty());
      sites = FunctionSites{.first = {symbol.vaddr},
                            .entry = {symbol.vaddr},
                            .exits = {},
                            .exit_kinds = {},
                            .incomplete_reason = sites.error().why};
    }
    FUZZ_CHECK(sites->first.vaddr == symbol.vaddr);
    if (scan) out.push_back({symbol.vaddr, std::move(*scan), std::move(*sites)});
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
      FUZZ_CHECK(jump.to <= function.sites.first.vaddr || jump.to > function.sites.entry.vaddr);
  }
}

void check_all(const CraftedElf& elf, const elf::Image& image) {
  const Code code{CraftedElf::kText, elf.text};
  const bool may_leave = may_leave_own_range(elf);
  const std::vector<Scanned> scanned = scan_all(elf, image);
  std::vector<Walk::Jump> jumps;
  for (const Scanned& function : scanned) {
    check_exits(code, function.scan);
    check_usable(function);
    check_entry(code, function.sites);
    for (uint64_t i = 1; function.scan.size > 0 && i <= kWalks; ++i) {
      const Walk taken = walk(code, function.start, function.scan.size, i * 0x9e3779b97f4a7c15);
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
