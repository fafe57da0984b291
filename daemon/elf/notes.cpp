// SPDX-License-Identifier: Apache-2.0
#include "elf/notes.h"

namespace compmond::elf {
namespace {

constexpr uint64_t kNoteBytes = 1u << 20;  // usual ones have less than 200 bytes
constexpr size_t kBuildIdBytes = 64;       // usual: 20 (SHA-1)
constexpr uint32_t kGoBuildId = 4;

uint64_t aligned(uint64_t size, uint64_t alignment) {
  return (size + alignment - 1) & ~(alignment - 1);
}

std::string hex(Bytes bytes) {
  std::string out;
  for (const uint8_t byte : bytes) out += fmt::format("{:02x}", byte);
  return out;
}

void scan(Bytes bytes, uint64_t alignment, ElfNotes& notes) {
  if (alignment != 8) alignment = 4;
  uint64_t offset = 0;
  while (const auto header = value_at<Elf64_Nhdr>(bytes, offset)) {
    const uint64_t name = offset + sizeof *header;
    const uint64_t content = aligned(name + header->n_namesz, alignment);
    const uint64_t end = content + header->n_descsz;
    if (end > bytes.size()) return;
    const std::string_view owner(reinterpret_cast<const char*>(bytes.data() + name),
                                 header->n_namesz);
    if (owner == std::string_view("GNU", 4) && header->n_type == NT_GNU_BUILD_ID &&
        notes.build_id.empty() && header->n_descsz <= kBuildIdBytes)
      notes.build_id = hex(bytes.subspan(content, header->n_descsz));
    if (owner == std::string_view("Go\0", 4) && header->n_type == kGoBuildId) notes.go = true;
    offset = aligned(end, alignment);
  }
}

}  // namespace

ElfNotes read_notes(const ElfFile& file) {
  ElfNotes notes;
  for (const Section& section : file.sections())
    if (section.header.sh_type == SHT_NOTE)
      if (auto bytes = file.bytes(section, kNoteBytes))
        scan(*bytes, section.header.sh_addralign, notes);
  if (!file.sections().empty()) return notes;
  for (const Elf64_Phdr& segment : file.segments())
    if (segment.p_type == PT_NOTE)
      if (auto bytes = file.bytes(segment.p_offset, segment.p_filesz, "a note segment", kNoteBytes))
        scan(*bytes, segment.p_align, notes);
  return notes;
}

}  // namespace compmond::elf
