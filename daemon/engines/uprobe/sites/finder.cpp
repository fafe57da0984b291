// SPDX-License-Identifier: Apache-2.0
#include "uprobe_sites/finder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "code/insn.h"
#include "uprobe_sites/entry.h"
#include "uprobe_sites/kernel_view.h"

namespace compmond::uprobe {
namespace {

KernelView view_at(code::CodeReader& reader, uint64_t vaddr) {
  const auto bytes = reader.at(vaddr);
  const auto insn = code::decode(bytes, vaddr);
  return insn ? kernel_view(*insn, bytes) : KernelView{};
}

// Why the function whose first instruction is `first` cannot be observed at this exit, for people;
// empty: it can.
std::string objection(code::CodeReader& reader, uint64_t first, const code::ExitSite& exit) {
  const std::string place = code::place_in(first, exit.vaddr);
  if (const char* refusal = view_at(reader, exit.vaddr).refusal)
    return fmt::format("its exit at {} cannot carry a probe: {}", place, refusal);
  if (exit.condition == code::ExitSite::kNoFlag)
    return fmt::format("the jump at {} leaves it on a condition that is none of the flags", place);
  return {};
}

}  // namespace

SiteFinder::SiteFinder(const elf::Image& image, bool nop5)
    : memory_(code::memory_of(image)), scanner_(image), nop5_(nop5) {}

Result<FunctionSites> SiteFinder::find(const elf::Symbol& function) {
  auto scan = scanner_.scan(function);
  if (!scan) return Unexpected(scan.error());
  const std::string what = "cannot observe " + function.demangled;
  code::CodeReader reader(*memory_);
  const KernelView first = view_at(reader, function.vaddr);
  if (first.refusal)
    return fail(Exit::kData, what, first.refusal, "Observe its callers or what it calls instead");
  if (scan->restarts)
    return fail(Exit::kData, what,
                "it jumps back to its first instruction: each round would look like a call",
                "Observe its callers instead");
  FunctionSites out;
  out.first = {function.vaddr, first.site};
  out.entry = place_entry(reader, out.first, scan->size, nop5_,
                          [&](uint64_t last) { return scanner_.entered_within(function, last); });
  out.moved_by = out.entry.vaddr - out.first.vaddr;
  out.passed_writes = written_between(reader, out.first.vaddr, out.entry.vaddr);
  out.exits = std::move(scan->exits);
  out.incomplete_reason = std::move(scan->incomplete_reason);
  for (const code::ExitSite& exit : out.exits)
    out.exit_kinds.push_back(view_at(reader, exit.vaddr).site);
  for (const code::ExitSite& exit : out.exits)
    if (out.incomplete_reason.empty())
      out.incomplete_reason = objection(reader, function.vaddr, exit);
  if (out.incomplete_reason.empty() &&
      std::ranges::count(out.exits, function.vaddr, &code::ExitSite::vaddr) > 0)
    out.incomplete_reason = "its first instruction is already its exit";
  out.exits_complete = out.incomplete_reason.empty();
  return out;
}

}  // namespace compmond::uprobe
