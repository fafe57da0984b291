// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include "names/names.h"
#include "names/pattern.h"

namespace compmond::names {

using elf::Image;
using elf::Symbol;
using elf::SymbolKind;

namespace {

constexpr size_t kNamedImplementations = 6;  // enough to choose from in a message; memcpy has 13
constexpr unsigned kSearchesUnsorted = 32;   // cost about as much as sorting all names does

std::string_view without_underscores(std::string_view name) {
  const size_t start = name.find_first_not_of('_');
  return start == name.npos ? name : name.substr(start);
}

// By the convention of the C library: __memcpy_avx_unaligned implements memcpy.
std::string ifunc_reason(const Image& image, const Symbol& ifunc) {
  const std::string stem = std::string(without_underscores(ifunc.name)) + "_";
  std::string names;
  size_t count = 0;
  for (const Symbol& symbol : image.symbols()) {
    if (symbol.kind != SymbolKind::kFunction || !without_underscores(symbol.name).starts_with(stem))
      continue;
    if (symbol.name.find("_chk") != symbol.name.npos) continue;  // the checking variants of them
    if (++count <= kNamedImplementations) names += (count > 1 ? ", " : "") + symbol.name;
  }
  const std::string reason =
      "an IFUNC resolver, which only picks the implementation when a program starts; ";
  if (count == 0) return reason + "its implementations have no symbols here";
  return reason + "implementations: " + names +
         (count > kNamedImplementations ? fmt::format(", … ({} in all)", count) : "");
}

std::string derived_reason(const Symbol& symbol, const DerivedName& derived) {
  if (derived.kind == Derived::kCold)
    return "the compiler's cold part of " + std::string(derived.base) +
           ", which is never called by itself";
  if (derived.kind == Derived::kPart)
    return "the compiler left a part of it, the rest is in its callers: " + symbol.name;
  return "the compiler cloned it: " + symbol.name;
}

// What people call a function that only the linker or an optimisation named otherwise.
std::string_view plain(const Symbol& symbol) {
  const auto derived = derived_name(symbol.name);
  return derived && derived->kind == Derived::kRenamed ? derived->base
                                                       : std::string_view(symbol.name);
}

// Of the clones that fit those that are the only body of their function, taken out of `clones`.
std::vector<const Symbol*> only_bodies(std::vector<const Symbol*>& clones,
                                       const std::vector<const Symbol*>& functions) {
  std::map<std::string_view, int> bodies;
  for (const Symbol* function : functions) ++bodies[plain(*function)];
  for (const Symbol* clone : clones) ++bodies[derived_name(clone->name)->base];
  std::vector<const Symbol*> only;
  std::erase_if(clones, [&](const Symbol* clone) {
    const bool alone = bodies[derived_name(clone->name)->base] == 1;
    if (alone) only.push_back(clone);
    return alone;
  });
  return only;
}

// Why a symbol that fits cannot be observed; empty when it can.
std::string refusal(const Image& image, const Symbol& symbol, Pattern::Fit fit) {
  switch (symbol.kind) {
    case SymbolKind::kImport:
      return "an import from another library: name that library as the image";
    case SymbolKind::kIfunc:
      return ifunc_reason(image, symbol);
    case SymbolKind::kData:
      return "data or a bare label, not a function";
    case SymbolKind::kFunction:
      break;
  }
  const auto derived = derived_name(symbol.name);
  if (derived && ((fit == Pattern::Fit::kClone && derived->kind == Derived::kPart) ||
                  derived->kind == Derived::kCold))
    return derived_reason(symbol, *derived);
  if (fit == Pattern::Fit::kOtherVersion)
    return "not the version that programs link to today; to observe it, write " + symbol.name +
           "@" + symbol.version;
  return {};
}

// Only worth telling when nothing else was found.
bool is_side_matter(const Symbol& symbol, Pattern::Fit fit) {
  const auto derived = derived_name(symbol.name);
  return fit == Pattern::Fit::kOtherVersion || (derived && derived->kind == Derived::kCold);
}

void merge_aliases(std::vector<const Symbol*>& functions) {
  std::sort(functions.begin(), functions.end(), [](const Symbol* a, const Symbol* b) {
    return std::tuple(a->vaddr, !a->global, a->name.size(), std::string_view(a->name),
                      !a->default_version) < std::tuple(b->vaddr, !b->global, b->name.size(),
                                                        std::string_view(b->name),
                                                        !b->default_version);
  });
  functions.erase(
      std::unique(functions.begin(), functions.end(),
                  [](const Symbol* a, const Symbol* b) { return a->vaddr == b->vaddr; }),
      functions.end());
}

}  // namespace

Matches Finder::find(const Pattern& pattern) {
  Matches matches;
  std::vector<Matches::Rejected> side_matters;
  std::vector<const Symbol*> clones;
  const std::vector<Symbol>& symbols = image_.symbols();
  const auto look = [&](const Symbol& symbol) {
    const Pattern::Fit fit = pattern.fit(symbol);
    if (fit == Pattern::Fit::kNo) return;
    if (auto reason = refusal(image_, symbol, fit); reason.empty())
      (fit == Pattern::Fit::kClone ? clones : matches.functions).push_back(&symbol);
    else
      (is_side_matter(symbol, fit) ? side_matters : matches.rejected).push_back({&symbol, reason});
  };
  if (++searches_ == kSearchesUnsorted) sort_names();
  if (names_.empty() || pattern.prefix().empty()) {
    for (const Symbol& symbol : symbols) look(symbol);
  } else {
    for (const uint32_t symbol : beginning_with(pattern.prefix())) look(symbols[symbol]);
  }
  std::ranges::copy(only_bodies(clones, matches.functions), std::back_inserter(matches.functions));
  for (const Symbol* clone : clones)
    matches.rejected.push_back({clone, derived_reason(*clone, *derived_name(clone->name))});
  merge_aliases(matches.functions);
  if (matches.functions.empty())
    matches.rejected.insert(matches.rejected.end(), side_matters.begin(), side_matters.end());
  return matches;
}

void Finder::sort_names() {
  const std::vector<Symbol>& symbols = image_.symbols();
  for (uint32_t i = 0; i < symbols.size(); ++i) {
    names_.push_back({symbols[i].name, i});
    if (symbols[i].demangled != symbols[i].name) names_.push_back({symbols[i].demangled, i});
  }
  std::ranges::sort(names_, {}, &Name::text);
}

std::vector<uint32_t> Finder::beginning_with(std::string_view prefix) const {
  std::vector<uint32_t> found;
  for (auto name = std::ranges::lower_bound(names_, prefix, {}, &Name::text);
       name != names_.end() && name->text.starts_with(prefix); ++name)
    found.push_back(name->symbol);
  std::ranges::sort(found);  // by address, as without sorted names
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

Matches find(const Image& image, const Pattern& pattern) { return Finder(image).find(pattern); }

}  // namespace compmond::names
