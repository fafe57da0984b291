// SPDX-License-Identifier: Apache-2.0
// ELF files stay such that a reader goes beyond their header: what changes are fields of headers,
// tables and notes, to values that other fields have, and what sections hold.
#include <elf.h>

#include <optional>
#include <string>
#include <vector>

#include "bytes.h"
#include "mutate.h"

namespace compmond::fuzz {
namespace {

class Draft {
 public:
  Draft(std::string bytes, Dice& dice) : bytes_(std::move(bytes)), dice_(dice) {}

  bool is_elf() const {
    return bytes_.size() >= sizeof(Elf64_Ehdr) && bytes_.compare(0, SELFMAG, ELFMAG) == 0;
  }
  void change() {
    switch (dice_.below(6)) {
      case 0:
        return change_segment();
      case 1:
        return change_section();
      case 2:
        return change_entry();
      case 3:
        return compress();
      default:
        return change_content();
    }
  }
  // What every reader asks for first; wrong only now and then.
  void repair() {
    if (dice_.one_in(32)) return;
    auto header = get<Elf64_Ehdr>(0);
    if (!header) return;
    header->e_ident[EI_CLASS] = ELFCLASS64;
    header->e_ident[EI_DATA] = ELFDATA2LSB;
    header->e_ident[EI_VERSION] = EV_CURRENT;
    header->e_machine = EM_X86_64;
    header->e_version = EV_CURRENT;
    if (header->e_type != ET_EXEC) header->e_type = ET_DYN;
    header->e_phentsize = sizeof(Elf64_Phdr);
    header->e_shentsize = sizeof(Elf64_Shdr);
    fit(header->e_phoff, header->e_phnum, sizeof(Elf64_Phdr));
    fit(header->e_shoff, header->e_shnum, sizeof(Elf64_Shdr));
    if (header->e_shnum > 0) header->e_shstrndx = uint16_t(header->e_shstrndx % header->e_shnum);
    put(0, *header);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  template <class T>
  std::optional<T> get(uint64_t at) const {
    T out;
    if (at > bytes_.size() || bytes_.size() - at < sizeof out) return std::nullopt;
    std::memcpy(&out, bytes_.data() + at, sizeof out);
    return out;
  }
  template <class T>
  void put(uint64_t at, const T& value) {
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }
  template <class Offset, class Count>
  void fit(Offset& at, Count& count, size_t size) const {
    if (at > bytes_.size()) at = sizeof(Elf64_Ehdr);
    count = Count(std::min<size_t>(count, (bytes_.size() - at) / size));
  }
  // Of a random header of a table; its place in the file.
  template <class T>
  std::optional<uint64_t> any(uint64_t at, size_t count) const {
    if (count == 0) return std::nullopt;
    const uint64_t place = at + dice_.below(count) * sizeof(T);
    return get<T>(place) ? std::optional(place) : std::nullopt;
  }
  std::optional<uint64_t> any_section() const {
    const auto header = get<Elf64_Ehdr>(0);
    return any<Elf64_Shdr>(header->e_shoff, header->e_shnum);
  }
  // Some other place or size in the file, or what breaks arithmetic.
  uint64_t value(uint64_t known) const {
    const auto place = any_section();
    if (!place || dice_.one_in(3)) return dice_.number(dice_.one_in(2) ? known : bytes_.size());
    const auto other = get<Elf64_Shdr>(*place);
    const uint64_t all[] = {other->sh_offset, other->sh_size, other->sh_addr,
                            other->sh_offset + other->sh_size, other->sh_addr + other->sh_size};
    return all[dice_.below(std::size(all))] + dice_.below(3) - 1;
  }
  void change_segment() {
    const auto header = get<Elf64_Ehdr>(0);
    const auto place = any<Elf64_Phdr>(header->e_phoff, header->e_phnum);
    if (!place) return;
    Elf64_Phdr segment = *get<Elf64_Phdr>(*place);
    constexpr uint32_t kTypes[] = {PT_LOAD, PT_DYNAMIC, PT_NOTE, PT_GNU_EH_FRAME, PT_NULL};
    uint64_t* const fields[] = {&segment.p_offset, &segment.p_vaddr, &segment.p_filesz,
                                &segment.p_memsz, &segment.p_align};
    if (dice_.one_in(6)) segment.p_type = dice_.of(kTypes);
    if (dice_.one_in(6)) segment.p_flags ^= 1u << dice_.below(3);
    uint64_t& field = *fields[dice_.below(std::size(fields))];
    field = value(field);
    put(*place, segment);
  }
  void change_section() {
    const auto place = any_section();
    if (!place) return;
    Elf64_Shdr section = *get<Elf64_Shdr>(*place);
    constexpr uint32_t kTypes[] = {SHT_PROGBITS,    SHT_SYMTAB, SHT_STRTAB,     SHT_NOBITS,
                                   SHT_NOTE,        SHT_DYNSYM, SHT_GNU_versym, SHT_GNU_verdef,
                                   SHT_GNU_verneed, SHT_RELA,   SHT_DYNAMIC};
    uint64_t* const fields[] = {&section.sh_offset, &section.sh_size, &section.sh_addr,
                                &section.sh_entsize, &section.sh_addralign};
    if (dice_.one_in(6)) section.sh_type = dice_.of(kTypes);
    if (dice_.one_in(6)) section.sh_flags ^= 1u << dice_.below(12);
    if (dice_.one_in(6)) section.sh_link = uint32_t(dice_.number(section.sh_link));
    if (dice_.one_in(6)) section.sh_info = uint32_t(dice_.number(section.sh_info));
    if (dice_.one_in(6)) section.sh_name = uint32_t(dice_.number(section.sh_name));
    uint64_t& field = *fields[dice_.below(std::size(fields))];
    field = value(field);
    put(*place, section);
  }
  // A word of a table: of a symbol, a relocation, a version, a dynamic entry.
  void change_entry() {
    const auto place = any_section();
    const auto section = place ? get<Elf64_Shdr>(*place) : std::nullopt;
    if (!section || section->sh_size < 8) return;
    const size_t width = dice_.one_in(2) ? 8 : dice_.one_in(2) ? 4 : 2;
    const uint64_t at = section->sh_offset + dice_.below(section->sh_size / width) * width;
    if (at > bytes_.size() || bytes_.size() - at < width) return;
    uint64_t word = 0;
    std::memcpy(&word, bytes_.data() + at, width);
    word = value(word);
    std::memcpy(bytes_.data() + at, &word, width);
  }
  // Says that a section is packed, and how large it is.
  void compress() {
    const auto place = any_section();
    auto section = place ? get<Elf64_Shdr>(*place) : std::nullopt;
    if (!section || section->sh_size < sizeof(Elf64_Chdr) || !get<Elf64_Chdr>(section->sh_offset))
      return;
    section->sh_flags = (section->sh_flags | SHF_COMPRESSED) & ~uint64_t(SHF_ALLOC);
    put(*place, *section);
    put(section->sh_offset,
        Elf64_Chdr{uint32_t(1 + dice_.below(3)), 0, dice_.number(section->sh_size), 1});
  }
  // Of a section, in place: nothing else moves.
  void change_content() {
    const auto place = any_section();
    const auto section = place ? get<Elf64_Shdr>(*place) : std::nullopt;
    if (!section || section->sh_offset >= bytes_.size() || section->sh_size == 0) return;
    constexpr size_t kPart = 64;
    const uint64_t size = std::min<uint64_t>(section->sh_size, bytes_.size() - section->sh_offset);
    const uint64_t skip = dice_.below(size), part = std::min<uint64_t>(kPart, size - skip);
    auto* const at = reinterpret_cast<uint8_t*>(bytes_.data() + section->sh_offset + skip);
    (void)LLVMFuzzerMutate(at, part, part);
  }

  std::string bytes_;
  Dice& dice_;
};

}  // namespace
}  // namespace compmond::fuzz

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  using namespace compmond;
  fuzz::Dice dice(seed);
  fuzz::Draft draft(std::string(fuzz::text_of(data, size)), dice);
  if (!draft.is_elf() || dice.one_in(16)) return LLVMFuzzerMutate(data, size, most);
  for (size_t changes = 1 + dice.below(3); changes > 0; --changes) draft.change();
  draft.repair();
  return fuzz::as_input(draft.bytes(), data, size, most);
}
