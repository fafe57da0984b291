// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "elf/elf_file.h"

namespace compmond::elf {

struct ElfNotes {
  std::string build_id;  // lowercase hex, or empty
  bool go = false;       // has a Go build id
};

// From the note sections, or from the note segments of a file without sections. Malformed notes
// count as none.
ElfNotes read_notes(const ElfFile& file);

}  // namespace compmond::elf
