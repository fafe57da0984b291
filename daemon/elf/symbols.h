// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/result.h"
#include "elf/elf_file.h"
#include "elf/image.h"

namespace compmond::elf {

// Appends the symbols of `table` (SHT_SYMTAB or SHT_DYNSYM) of `file`, not demangled yet. What lies
// in one of the executable ranges `text`, sorted by address, counts as code.
Result<void> append_symbols(const ElfFile& file, const Section& table,
                            const std::vector<Image::Range>& text, std::vector<Symbol>& out);

// Sorts by address and leaves each (name, version, kind, address) once, then demangles.
void merge_symbols(std::vector<Symbol>& symbols);

}  // namespace compmond::elf
