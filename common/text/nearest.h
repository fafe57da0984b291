// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Which word was meant, for messages about one that is not known.
namespace compmond::text {

// Edits (insert, delete, replace a byte, swap neighbours) that lead from one word to another. Keeps
// its memory, for many comparisons.
class EditDistance {
 public:
  // `limit` + 1 where it is more than that: the work is the shorter word's length times `limit`.
  size_t operator()(std::string_view a, std::string_view b, size_t limit);

 private:
  std::vector<size_t> before_last_, last_, row_;
};

// As many edits as a word may be away and still be the one that was meant.
size_t edits_allowed(std::string_view word);

// The known word that `text` was most likely meant to be, or empty.
std::string nearest(std::string_view text, std::span<const std::string_view> known);

// Those that it may have been meant to be, as a question: "Did you mean 'a'?", "Did you mean 'a',
// 'b' or 'c'?". Those that contain it, whatever the case, the shortest first; else the nearest.
// Empty where there is none.
std::string did_you_mean(std::string_view text, std::span<const std::string_view> known);

// "a, b and c", or with another word before the last.
template <class Words>
std::string listed(const Words& words, std::string_view last = "and") {
  std::string out;
  size_t left = std::size(words);
  for (const std::string_view word : words) {
    --left;
    if (!out.empty()) out += left == 0 ? " " + std::string(last) + " " : ", ";
    out += word;
  }
  return out;
}

}  // namespace compmond::text
