// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <tuple>

#include "elf/names.h"
#include "elf/pattern.h"

namespace compmond::elf {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
  return out;
}

// Levenshtein distance, or `limit` + 1 when it is larger: only a band of 2·limit + 1 cells per row
// is computed.
size_t distance(std::string_view a, std::string_view b, size_t limit, std::vector<size_t>& row) {
  if (a.size() > b.size()) std::swap(a, b);
  const size_t far = limit + 1;
  if (b.size() - a.size() > limit) return far;
  row.assign(b.size() + 1, far);
  for (size_t j = 0; j <= std::min(limit, b.size()); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    const size_t first = i > limit ? i - limit : 1;
    const size_t last = std::min(b.size(), i + limit);
    size_t diagonal = row[first - 1];
    row[first - 1] = first == 1 ? i : far;
    size_t best = row[first - 1];
    for (size_t j = first; j <= last; ++j) {
      const size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
      best = std::min(best, row[j]);
    }
    if (best > limit) return far;
  }
  return std::min(row[b.size()], far);
}

enum Rank : int { kDerived, kSameName, kSimilar, kContains, kUnrelated };

class Scorer {
 public:
  explicit Scorer(Pattern::Literal literal)
      : literal_(std::move(literal)),
        name_(lower(literal_.name)),
        last_(lower(last_component(literal_.name))),
        limit_(std::max<size_t>(2, last_.size() / 3)) {}

  std::pair<Rank, size_t> score(const Symbol& symbol) {
    const std::string name = lower(split_signature(symbol.demangled).name);
    const auto derived = derived_name(symbol.name);
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
    return distance(wanted, found, limit_, row_);
  }

  Pattern::Literal literal_;
  std::string name_, last_;
  size_t limit_;
  std::vector<size_t> row_;
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

}  // namespace compmond::elf
