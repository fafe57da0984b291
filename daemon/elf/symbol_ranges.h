// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/fd.h"
#include "elf/elf_file.h"

namespace compmond::elf {

// Which function's symbol covers which code of a file, as its .symtab says, or its .dynsym where
// that has none. Some 24 bytes a symbol and no names, for files with millions of them. The table
// may be hostile: what it says is cut to the executable segments.
class SymbolRanges {
 public:
  using Step = std::function<void()>;

  // `main`: the file with the code; `headers` of `file`: the same, or its separate debug file.
  // Calls `step` at least every few ten milliseconds. Empty where there is nothing to read, or more
  // functions than `most`.
  static SymbolRanges read(const ElfFile& main, const Fd& file, const ElfFile& headers, size_t most,
                           const Step& step);

  struct Covering {  // a symbol of a function
    uint64_t start = 0;
    uint32_t size = 0;     // as far as its section goes, where the file does not say
    uint32_t name = 0;     // in the strings
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
  uint64_t strings() const { return strings_; }                      // offset of the file
  uint64_t strings_end() const { return strings_end_; }

 private:
  void lay_out(const Step& step);

  std::vector<Covering> symbols_;
  std::vector<Range> ranges_;  // by address
  uint64_t strings_ = 0, strings_end_ = 0;
};

}  // namespace compmond::elf
