// SPDX-License-Identifier: Apache-2.0
#include "text/nearest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace compmond::text {
namespace {

constexpr size_t kComparedBytes = 64;  // a longer word is no mistyped one

}  // namespace

size_t EditDistance::operator()(std::string_view a, std::string_view b, size_t limit) {
  if (a.size() > b.size()) std::swap(a, b);
  const size_t far = limit + 1;
  if (b.size() - a.size() > limit) return far;
  before_last_.assign(b.size() + 1, far);
  last_.assign(b.size() + 1, far);
  row_.assign(b.size() + 1, far);
  for (size_t j = 0; j <= std::min(limit, b.size()); ++j) last_[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    // Only a band of 2·limit + 1 cells can hold what is not too far; beside it stands `far`.
    const size_t from = i > limit ? i - limit : 1, to = std::min(b.size(), i + limit);
    row_[from - 1] = from == 1 ? std::min(i, far) : far;
    size_t best = row_[from - 1];
    for (size_t j = from; j <= to; ++j) {
      size_t edits =
          std::min({last_[j] + 1, row_[j - 1] + 1, last_[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        edits = std::min(edits, before_last_[j - 2] + 1);
      row_[j] = std::min(edits, far);
      best = std::min(best, row_[j]);
    }
    if (to < b.size()) row_[to + 1] = far;
    if (best > limit) return far;
    std::swap(before_last_, last_);
    std::swap(last_, row_);
  }
  return last_[b.size()];
}

size_t edits_allowed(std::string_view word) { return std::max<size_t>(2, word.size() / 3); }

std::string nearest(std::string_view text, std::span<const std::string_view> known) {
  EditDistance distance;
  std::string_view best;
  size_t limit = edits_allowed(text);
  for (std::string_view word : known) {
    if (std::max(text.size(), word.size()) > kComparedBytes) continue;
    const size_t edits = distance(text, word, limit);
    if (edits > limit || edits >= word.size()) continue;
    best = word;
    if (edits == 0) break;
    limit = edits - 1;
  }
  return std::string(best);
}

std::string did_you_mean(std::string_view text, std::span<const std::string_view> known) {
  constexpr size_t kNamed = 3, kTells = 3;  // fewer letters are in too many words
  const auto same = [](char a, char b) {
    return std::tolower(uint8_t(a)) == std::tolower(uint8_t(b));
  };
  std::vector<std::string_view> likely;
  for (const std::string_view word : known)
    if (text.size() >= kTells && !std::ranges::search(word, text, same).empty())
      likely.push_back(word);
  std::ranges::sort(likely, {}, [](std::string_view word) { return std::pair(word.size(), word); });
  likely.erase(std::unique(likely.begin(), likely.end()), likely.end());
  likely.resize(std::min(likely.size(), kNamed));
  std::vector<std::string> quoted;
  for (const std::string_view word : likely) quoted.push_back(fmt::format("'{}'", word));
  if (quoted.empty())
    if (const std::string near = nearest(text, known); !near.empty())
      quoted.push_back(fmt::format("'{}'", near));
  return quoted.empty() ? "" : fmt::format("Did you mean {}?", listed(quoted, "or"));
}

}  // namespace compmond::text
