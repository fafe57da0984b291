// SPDX-License-Identifier: Apache-2.0
#include "plan/transfers.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace compmond::plan {
namespace {

using elf::Symbol;
using elf::SymbolKind;

// Of the unwinder (libgcc_s, or a copy), which all languages use that unwind.
constexpr std::string_view kThrow = "_Unwind_RaiseException", kForce = "_Unwind_ForcedUnwind";
constexpr std::array<std::string_view, 2> kResumes = {"_Unwind_Resume",
                                                      "_Unwind_Resume_or_Rethrow"};
// C++ calls it first of all where an exception is caught, in the frame that catches it. Rust's
// counterpart is called from a function of its own, so that nothing follows from its stack pointer.
constexpr std::string_view kCatch = "__cxa_begin_catch";
constexpr std::array<std::string_view, 6> kJumps = {"longjmp",       "_longjmp",   "siglongjmp",
                                                    "__longjmp_chk", "setcontext", "swapcontext"};

bool one_of(std::string_view name, auto names) {
  return std::ranges::find(names, name) != names.end();
}

std::optional<Transfer> kind_of(std::string_view name) {
  if (name == kThrow) return Transfer::kThrow;
  if (name == kForce) return Transfer::kForce;
  if (one_of(name, kResumes)) return Transfer::kResume;
  if (name == kCatch) return Transfer::kCatch;
  if (one_of(name, kJumps)) return Transfer::kJump;
  return std::nullopt;
}

bool is_timed(const PlannedOperation& operation) {
  return std::ranges::any_of(operation.ways,
                             [](const Way& way) { return !way.refused && way.timed(); });
}

bool can_unwind(const Candidate& image) {
  const elf::RiskTraits& traits = image.image->traits();
  return traits.unwinds || traits.rust || traits.forced_unwind;
}

}  // namespace

std::vector<TransferPlace> find_transfers(const Plan& plan,
                                          const std::vector<Candidate>& candidates) {
  bool timed = false, unwinds = false;
  std::set<std::pair<size_t, uint64_t>> taken;  // image, address
  for (const PlannedOperation& operation : plan.operations) {
    const size_t image = plan.images[size_t(operation.image)].candidate;
    taken.insert({image, operation.vaddr});
    if (!is_timed(operation)) continue;
    timed = true;
    unwinds |= can_unwind(candidates[image]);
  }
  if (!timed) return {};
  std::set<std::string_view> asked_for;  // of kJumps, by some image
  for (const Candidate& candidate : candidates)
    if (candidate.image)
      for (const Symbol& symbol : candidate.image->symbols())
        if (symbol.kind == SymbolKind::kImport && one_of(symbol.name, kJumps))
          asked_for.insert(symbol.name);
  std::vector<TransferPlace> out;
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (!candidates[i].image) continue;
    for (const Symbol& symbol : candidates[i].image->symbols()) {
      if (symbol.kind != SymbolKind::kFunction) continue;
      const bool switches = symbol.demangled == candidates[i].switching;
      const auto kind = switches ? Transfer::kJump : kind_of(symbol.name);
      if (!kind) continue;
      // The main executable was linked with what it holds because it is used.
      const bool may_come = *kind == Transfer::kJump
                                ? switches || candidates[i].main || asked_for.count(symbol.name) > 0
                                : unwinds;
      if (may_come && taken.insert({i, symbol.vaddr}).second) out.push_back({*kind, i, &symbol});
    }
  }
  return out;
}

void mark_jumps(Plan& plan) {
  std::set<std::pair<int, uint64_t>> timed;  // image, address
  for (const PlannedOperation& operation : plan.operations)
    for (const Way& way : operation.ways)
      if (!way.refused && way.timed()) timed.insert({operation.image, operation.vaddr});
  for (PlannedOperation& operation : plan.operations)
    for (Way& way : operation.ways)
      for (ExitPlace& exit : way.exits)
        exit.to_observed = exit.target != 0 && exit.target != operation.vaddr &&
                           timed.contains({operation.image, exit.target});
}

}  // namespace compmond::plan
