// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "elf/elf_file.h"

namespace compmond::elf {

// Which function's symbol covers which code of a file, as its .symtab says, or its .dynsym where
// that has none. Some 24 bytes a symbol and no names, for files with millions of them. The tables
// may be hostile: what they say is cut to the executable segments.
class SymbolRanges {
 public:
  using Step = std::function<void()>;

  // `main`: the file with the code; `from`: itself, its debug file, or both (two at most), each of
  // which adds its own table. Calls `step` at least every few ten milliseconds. Left out is what
  // cannot be read, and a table with which there would be more functions than `most`.
  static SymbolRanges read(const ElfFile& main, std::span<const ElfFile* const> from, size_t most,
                           const Step& step);

  struct Covering {  // a symbol of a function
    uint64_t start = 0;
    uint32_t size = 0;     // as far as its section goes, where the file does not say
    uint32_t name = 0;     // in the strings
    uint8_t file = 0;      // whose: its place in `from`
    uint8_t rank = 0;      // of aliases, the highest is the one to show
    bool unsized = false;  // the file does not say
  };
  // Ranges do not overlap; of nested functions the innermost has the code.
  struct Range {
    uint64_t start = 0, end = 0;
    uint32_t symbol = 0;  // the first of its aliases
  };

  // Null: no symbol covers it.
  const Range* find(uint64_t vaddr) const;
  // What of [start, end) around `vaddr`, which no symbol covers, is no symbol's.
  Range gap(uint64_t vaddr, uint64_t start, uint64_t end) const;
  const std::vector<Covering>& symbols() const { return symbols_; }  // by address
  struct Strings {
    uint64_t offset = 0, end = 0;  // of the file
  };
  const Strings& strings(const Covering& of) const { return strings_[of.file]; }

 private:
  void add(const std::vector<Range>& code, const ElfFile& file, uint8_t number, size_t most,
           const Step& step);
  void lay_out(const Step& step);

  std::vector<Covering> symbols_;
  std::vector<Range> ranges_;  // by address
  std::array<Strings, 2> strings_;
};

}  // namespace compmond::elf
