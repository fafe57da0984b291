// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "elf/elf_file.h"
#include "elf/image.h"
#include "elf/notes.h"

namespace compmond::elf {

// The risk traits of an image, from its sections, imports and definitions.
RiskTraits read_traits(const ElfFile& file, const ElfNotes& notes,
                       const std::vector<Symbol>& symbols);

}  // namespace compmond::elf
