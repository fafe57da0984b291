// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mutate.h"

namespace compmond::fuzz {

// What DWARF is made of, one after the other: a length of four bytes and so many bytes.
inline std::vector<std::string> entries_of(std::string_view bytes) {
  std::vector<std::string> out;
  while (bytes.size() >= 4) {
    uint32_t length = 0;
    std::memcpy(&length, bytes.data(), 4);
    const size_t size = std::min<size_t>(length, bytes.size() - 4);
    out.emplace_back(bytes.substr(4, size));
    bytes.remove_prefix(4 + size);
  }
  return out;
}

// With lengths that fit, but for one now and then.
inline std::string joined(const std::vector<std::string>& entries, Dice& dice) {
  std::string out;
  for (const std::string& entry : entries) {
    auto length = uint32_t(entry.size());
    if (dice.one_in(64)) length = uint32_t(dice.number(length));
    out.append(reinterpret_cast<const char*>(&length), 4);
    out += entry;
  }
  return out;
}

// One of them goes, comes twice, or changes behind its first `fixed` bytes.
inline void change_entries(std::vector<std::string>& entries, size_t fixed, Dice& dice) {
  if (entries.empty()) return;
  const size_t at = dice.below(entries.size());
  if (dice.one_in(12)) return void(entries.erase(entries.begin() + ptrdiff_t(at)));
  if (dice.one_in(12)) {
    const std::string copy = entries[at];
    return void(entries.insert(entries.begin() + ptrdiff_t(dice.below(entries.size())), copy));
  }
  const size_t head = dice.one_in(16) ? 0 : std::min(fixed, entries[at].size());
  entries[at] = entries[at].substr(0, head) + mutated(entries[at].substr(head), 16);
}

}  // namespace compmond::fuzz
