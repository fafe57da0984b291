// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "elf/elf_file.h"
#include "elf/image.h"

// How an image hangs together with others, as the dynamic loader sees it.
namespace compmond::elf {

struct Links {
  std::string name;                 // what others need it by (DT_SONAME), or empty
  std::vector<std::string> needed;  // DT_NEEDED, in order
};
// This and the next read the file again, and fail with Exit::kData where its tables are damaged or
// unusually large. A static program has neither links nor slots.
Result<Links> read_links(const Image& image);

// Names of imports by the address of a slot that the loader fills with where they lie: of the
// procedure linkage table, and others that code reads addresses from.
using Slots = std::unordered_map<uint64_t, std::string>;
Result<Slots> read_slots(const Image& image);

// Addresses in the image, before relocation, that the loader puts somewhere into its memory,
// sorted: all of them. Exit::kUnavailable where code at fixed addresses may have others in its
// data, or where they are packed (DT_RELR).
Result<std::vector<uint64_t>> read_pointers(const Image& image);

// Words that the loader fills with addresses in the image, by where they are: those of which the
// dynamic relocations tell one by one. What is packed (DT_RELR) or needs none stands in the file.
struct Pointer {
  uint64_t at = 0, to = 0;  // both before relocation
};
Result<std::vector<Pointer>> read_relocated(const Image& image);

// The dynamic segment's entries up to DT_NULL; none where there is no such segment.
std::vector<Elf64_Dyn> dynamic_entries(const ElfFile& file);

}  // namespace compmond::elf
