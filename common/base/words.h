// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

// Enums that have words in files, messages and options. The words stand once, beside the enum:
//   enum class Level { kOperation, kHost };
//   constexpr auto words(Level) {
//     return word_table<Level>({{Level::kOperation, "operation"}, {Level::kHost, "host"}});
//   }
namespace compmond {

template <class E, size_t N>
constexpr auto word_table(const std::pair<E, const char*> (&all)[N]) {
  return std::to_array(all);
}

template <class E>
concept HasWords = std::is_enum_v<E> && requires(E value) {
  words(value);
};

// Empty for a value that has no word.
template <HasWords E>
constexpr const char* to_text(E value) {
  for (const auto& [known, word] : words(value))
    if (known == value) return word;
  return "";
}

template <HasWords E>
constexpr std::optional<E> from_text(std::string_view text) {
  for (const auto& [value, word] : words(E{}))
    if (text == word) return value;
  return std::nullopt;
}

// In the order of the table.
template <HasWords E>
std::vector<std::string> all_words() {
  std::vector<std::string> out;
  for (const auto& [value, word] : words(E{})) out.emplace_back(word);
  return out;
}

// A word of somebody who may know more of them than we do: compares as the enum, and keeps the text
// of one that the enum does not have, which equals none of its values.
template <HasWords E>
class Word {
 public:
  Word() = default;  // empty
  Word(E known) : known_(known) {}
  explicit Word(std::string_view text) : known_(from_text<E>(text)) {
    if (!known_) unknown_ = text;
  }

  std::string text() const { return known_ ? to_text(*known_) : unknown_; }
  bool empty() const { return !known_ && unknown_.empty(); }
  std::optional<E> known() const { return known_; }
  bool operator==(E value) const { return known_ == value; }
  bool operator==(const Word&) const = default;

 private:
  std::optional<E> known_;
  std::string unknown_;
};

}  // namespace compmond
