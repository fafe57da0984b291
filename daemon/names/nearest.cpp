// SPDX-License-Identifier: Apache-2.0
#include "text/nearest.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "names/names.h"
#include "names/pattern.h"
#include "text/match.h"

namespace compmond::names {

using elf::Image;
using elf::Symbol;
using elf::SymbolKind;

namespace {

using text::lower;

enum Rank : int { kDerived, kSameName, kSimilar, kContains, kUnrelated };

class Scorer {
 public:
  explicit Scorer(Pattern::Literal literal)
      : literal_(std::move(literal)),
        name_(lower(without_rust_brackets(literal_.name))),
        last_(last_component(name_)),
        limit_(text::edits_allowed(last_)) {}

  std::pair<Rank, size_t> score(const Symbol& symbol) {
    const auto derived = derived_name(symbol.name);
    if (derived && derived->kind == Derived::kCold) return {kUnrelated, 0};  // nothing to observe
    const std::string name = lower(without_rust_brackets(split_signature(symbol.demangled).name));
    if (derived && (name == name_ || derived->base == literal_.name)) return {kDerived, 0};
    const std::string_view last = last_component(name);
    if (name == name_) return {kSameName, 0};
    if (last == last_) return {kSameName, 1};
    if (last_.empty())
      return {name_.empty() || !name.starts_with(name_) ? kUnrelated : kContains, name.size()};
    const size_t near = std::min(compare(name_, name), compare(last_, last) + 1);
    if (near <= limit_) return {kSimilar, near};
    if (last_.size() >= 3 && last.find(last_) != last.npos) return {kContains, last.size()};
    return {kUnrelated, 0};
  }

 private:
  size_t compare(std::string_view wanted, std::string_view found) {
    if (literal_.prefix) found = found.substr(0, wanted.size());
    return distance_(wanted, found, limit_);
  }

  Pattern::Literal literal_;
  std::string name_, last_;
  size_t limit_;
  text::EditDistance distance_;
};

std::string shown(const Symbol& symbol, bool with_version) {
  if (!with_version || symbol.version.empty()) return symbol.demangled;
  return symbol.name + (symbol.default_version ? "@@" : "@") + symbol.version;
}

}  // namespace

std::vector<std::string> nearest(const Image& image, const Pattern& pattern, size_t count) {
  const Pattern::Literal literal = pattern.literal();
  Scorer scorer(literal);
  // (rank, distance, length, name): the first ones are the nearest.
  using Candidate = std::tuple<Rank, size_t, size_t, std::string>;
  std::set<Candidate> best;
  for (const Symbol& symbol : image.symbols()) {
    if (symbol.kind != SymbolKind::kFunction) continue;
    const auto [rank, away] = scorer.score(symbol);
    if (rank == kUnrelated) continue;
    std::string name = shown(symbol, literal.versioned);
    const size_t size = name.size();
    best.emplace(rank, away, size, std::move(name));
    if (best.size() > count) best.erase(std::prev(best.end()));
  }
  std::vector<std::string> names;
  for (const Candidate& candidate : best)
    if (std::find(names.begin(), names.end(), std::get<3>(candidate)) == names.end())
      names.push_back(std::get<3>(candidate));
  return names;
}

}  // namespace compmond::names
