// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "elf/debug_file.h"
#include "elf/frame_table.h"
#include "elf/image.h"
#include "elf/symbol_ranges.h"

namespace compmond::elf {

// Which function a place in a file is in, for whom all of an Image is too much. The file may be
// hostile and may become shorter. Not for several threads at once.
class FunctionTable {
 public:
  struct Most {
    size_t symbols = 0;         // that are read, or none
    size_t embedded_bytes = 0;  // that those take which the file keeps packed, or none
  };
  // `file` has to stay open. Where it has no .symtab, its separate debug file serves, which
  // `debug_files` opens, else what it keeps packed beside .dynsym (debug_file.h). `step`: see
  // SymbolRanges::read, and kept. A file that is none has no functions.
  FunctionTable(const Fd& file, const std::string& path, const Image::DebugFiles& debug_files,
                Most most, SymbolRanges::Step step);

  // Code around a place. A function that is split, by the compiler or around another one, has
  // several with one name.
  struct Function {
    uint64_t start = 0, end = 0;
    // Demangled, without a version; of a cold part that of its function; cut with "…" at
    // limits::kFunctionNameBytes. Any bytes that a symbol may have. Empty: no symbol covers the
    // place, and call frame information tells how far the code goes.
    std::string name;
  };
  std::optional<Function> find(uint64_t vaddr);
  size_t symbols() const { return symbols_.symbols().size(); }
  size_t embedded_bytes() const { return embedded_ ? embedded_->file_size() : 0; }

 private:
  void read_symbols(const ElfFile& main, const std::string& path,
                    const Image::DebugFiles& debug_files, Most most);
  std::string name_of(const SymbolRanges::Range& range) const;
  std::string raw_name(const SymbolRanges::Covering& symbol) const;
  FrameExtent frame_around(uint64_t vaddr);

  const Fd& file_;
  // Of these at most one, whose symbols are then the first of symbols_.
  std::optional<DebugFile> debug_;
  std::optional<ElfFile> embedded_;
  SymbolRanges::Step step_;
  SymbolRanges symbols_;
  struct {
    uint64_t vaddr = 0, offset = 0, size = 0;
  } eh_frame_;
  std::optional<std::vector<FrameExtent>> frames_;  // read when first needed
};

}  // namespace compmond::elf
