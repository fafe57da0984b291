// SPDX-License-Identifier: Apache-2.0
#include "uprobe_exits/linked_images.h"

#include <algorithm>
#include <array>

#include "text/match.h"

namespace compmond::uprobe {
namespace {

// What an image has that throws or catches in code of its own. C++ built without exceptions has
// none of these.
bool handles_exceptions(std::string_view symbol) {
  constexpr std::array<std::string_view, 4> kNames = {"__cxa_begin_catch", "__cxa_throw",
                                                      "__cxa_rethrow", "_Unwind_RaiseException"};
  return std::ranges::find(kNames, symbol) != kNames.end() ||
         (symbol.starts_with("_ZSt") && symbol.find("__throw_") != symbol.npos);
}

// They throw and catch for others, and call C libraries on nobody's behalf.
bool is_runtime(const std::string& path) {
  constexpr std::array<std::string_view, 5> kRuntimes = {
      "libstdc++.so", "libc++.so", "libc++abi.so", "libgcc_s.so", "libunwind.so"};
  return std::ranges::any_of(
      kRuntimes, [&](std::string_view name) { return text::leaf(path).starts_with(name); });
}

}  // namespace

bool may_throw(const plan::Candidate& candidate) {
  if (!candidate.image || is_runtime(candidate.path)) return false;
  const elf::RiskTraits& traits = candidate.image->traits();
  if (traits.rust || (traits.unwinds && candidate.main)) return true;
  return traits.unwinds &&
         std::ranges::any_of(candidate.image->symbols(), handles_exceptions, &elf::Symbol::name);
}

std::string throws_through(const std::string& thrower) { return thrower + " may throw through it"; }

LinkedImages::LinkedImages(const std::vector<plan::Candidate>& candidates)
    : candidates_(candidates),
      needs_(candidates.size()),
      links_(candidates.size()),
      slots_(candidates.size()) {}

std::string LinkedImages::thrower_above(size_t image) {
  if (!throwers_) {
    throwers_.emplace();
    for (size_t i = 0; i < candidates_.size(); ++i)
      if (may_throw(candidates_[i])) throwers_->push_back(i);
  }
  // What the main executable does not need was loaded later, by whom nobody can tell: it may call,
  // and be called by, everything in its processes. So may all where that is not known.
  const auto above_in = [&](uint32_t program, size_t thrower) {
    const auto main = std::ranges::find_if(candidates_, [&](const plan::Candidate& one) {
      return one.main && (one.programs & program) != 0;
    });
    if (main == candidates_.end()) return true;
    const auto from = size_t(main - candidates_.begin());
    return !reaches(from, thrower) || !reaches(from, image) || reaches(thrower, image);
  };
  const auto above = [&](size_t thrower) {
    if (thrower == image) return false;
    const uint32_t both = candidates_[thrower].programs & candidates_[image].programs;
    for (uint32_t program = 1; program != 0; program <<= 1)
      if ((both & program) != 0 && above_in(program, thrower)) return true;
    return false;
  };
  const auto found = std::ranges::find_if(*throwers_, above);
  return found == throwers_->end() ? std::string()
                                   : std::string(text::leaf(candidates_[*found].path));
}

const std::vector<size_t>& LinkedImages::needs(size_t image) {
  auto& known = needs_[image];
  if (known) return *known;
  known.emplace();
  const auto links = [&](size_t of) -> const elf::Links& {
    if (!links_[of]) {
      auto read = candidates_[of].image ? elf::read_links(*candidates_[of].image) : elf::Links();
      links_[of] = read ? std::move(*read) : elf::Links();
    }
    return *links_[of];
  };
  for (const std::string& needed : links(image).needed)
    for (size_t i = 0; i < candidates_.size(); ++i)
      if (needed == links(i).name || text::leaf(needed) == text::leaf(candidates_[i].path))
        known->push_back(i);
  return *known;
}

bool LinkedImages::reaches(size_t from, size_t to) {
  std::vector<bool> seen(candidates_.size());
  std::vector<size_t> open{from};
  seen[from] = true;
  while (!open.empty()) {
    const size_t image = open.back();
    open.pop_back();
    if (image == to) return true;
    for (const size_t next : needs(image))
      if (!seen[next]) {
        seen[next] = true;
        open.push_back(next);
      }
  }
  return false;
}

const std::string* LinkedImages::import_at(Place slot) {
  auto& slots = slots_[slot.image];
  if (!slots) {
    auto read = elf::read_slots(*candidates_[slot.image].image);
    slots = read ? std::move(*read) : elf::Slots();
  }
  const auto it = slots->find(slot.vaddr);
  return it == slots->end() ? nullptr : &it->second;
}

const LinkedImages::Definitions& LinkedImages::definitions(std::string_view name) {
  if (definitions_.empty()) {
    for (size_t i = 0; i < candidates_.size(); ++i) {
      if (!candidates_[i].image) continue;
      for (const elf::Symbol& symbol : candidates_[i].image->symbols()) {
        if (!symbol.global || symbol.kind == elf::SymbolKind::kImport) continue;
        Definitions& all = definitions_[symbol.name];
        if (symbol.kind == elf::SymbolKind::kFunction)
          all.places.push_back({i, symbol.vaddr});
        else
          all.known = false;
      }
    }
  }
  static const Definitions kNone{{}, false};
  const auto it = definitions_.find(name);
  return it == definitions_.end() ? kNone : it->second;
}

}  // namespace compmond::uprobe
