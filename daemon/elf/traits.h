// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "elf/elf_file.h"
#include "elf/image.h"

namespace compmond::elf {

struct ElfNotes {
  std::string build_id;  // lowercase hex, or empty
  bool go = false;       // has a Go build id
};

// From the note sections, or from the note segments of a file without sections. Malformed notes
// count as none.
ElfNotes read_notes(const ElfFile& file);

// The risk traits of an image, from its sections, imports and definitions.
RiskTraits read_traits(const ElfFile& file, const ElfNotes& notes,
                       const std::vector<Symbol>& symbols);

// What packed the file's code, or protects it, by marks that it leaves there.
enum class Protector {
  kNone,
  kUpx,        // unpacks it to other memory when the program runs
  kVmProtect,  // sums it up
};
Protector protector_of(const ElfFile& file);

}  // namespace compmond::elf
