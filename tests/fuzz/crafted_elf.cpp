// SPDX-License-Identifier: Apache-2.0
#include "crafted_elf.h"

#include <string>

#include "elf_head.h"

namespace compmond::fuzz {
namespace {

template <class T>
void append(std::vector<uint8_t>& out, const T& value) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
  out.insert(out.end(), bytes, bytes + sizeof value);
}

// An .eh_frame with absolute addresses: one CIE without augmentation, and an FDE for each function
// that wants one.
std::vector<uint8_t> frames_of(const std::vector<Crafted>& functions) {
  std::vector<uint8_t> out;
  append(out, uint32_t{12});  // length of the CIE
  append(out, uint32_t{0});
  // Version 1, no augmentation, code alignment 1, data alignment -8, return address in column 16,
  // padding.
  for (const int byte : {1, 0, 1, 0x78, 16, 0, 0, 0}) out.push_back(uint8_t(byte));
  for (const Crafted& function : functions) {
    if (function.kind != Crafted::Kind::kUnsized && function.kind != Crafted::Kind::kNameless)
      continue;
    append(out, uint32_t{20});
    append(out, uint32_t(out.size()));  // back to the CIE
    append(out, function.vaddr);
    append(out, function.size);
  }
  append(out, uint32_t{0});
  return out;
}

struct Symbols {
  std::vector<uint8_t> table, names;
};

Symbols symbols_of(const std::vector<Crafted>& functions) {
  Symbols out;
  append(out.table, Elf64_Sym{});
  out.names.push_back(0);
  for (size_t i = 0; i < functions.size(); ++i) {
    const Crafted& function = functions[i];
    if (function.kind == Crafted::Kind::kNameless) continue;
    Elf64_Sym symbol{};
    symbol.st_name = uint32_t(out.names.size());
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
    symbol.st_shndx = 1;
    symbol.st_value = function.vaddr;
    symbol.st_size = function.kind == Crafted::Kind::kUnsized ? 0 : function.size;
    append(out.table, symbol);
    const std::string name = function.kind == Crafted::Kind::kCold ? "f0.cold." + std::to_string(i)
                                                                   : "f" + std::to_string(i);
    out.names.insert(out.names.end(), name.begin(), name.end());
    out.names.push_back(0);
  }
  return out;
}

}  // namespace

CraftedElf::CraftedElf(Bytes input) {
  const size_t count = 1 + input.take<uint8_t>() % kFunctions;
  for (size_t i = 0; i < count; ++i) {
    Crafted function;
    function.vaddr = kText + input.take<uint16_t>() % kTextBytes;
    function.size = input.take<uint16_t>() % kTextBytes;
    function.kind = Crafted::Kind(input.take<uint8_t>() % uint8_t(Crafted::Kind::kCount));
    functions.push_back(function);
  }
  const auto tables = input.take(input.take<uint8_t>() * sizeof(uint32_t));
  const auto code = input.take(kTextBytes);
  text.assign(code.begin(), code.end());
  lay_out(tables);
}

void CraftedElf::lay_out(std::span<const uint8_t> tables) {
  const Symbols symbols = symbols_of(functions);
  const std::vector<uint8_t> frames = frames_of(functions);
  static constexpr char kNames[] = "\0.text\0.symtab\0.strtab\0.eh_frame\0.shstrtab";
  const std::vector<uint8_t> names(kNames, kNames + sizeof kNames);

  file.assign(sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr), 0);
  const auto place = [this](std::span<const uint8_t> bytes) {
    const uint64_t offset = file.size();
    file.insert(file.end(), bytes.begin(), bytes.end());
    return offset;
  };
  const uint64_t text_at = place(text), tables_at = place(tables);
  std::vector<Elf64_Shdr> sections(1);
  const auto add = [&](uint32_t name, uint32_t type, uint64_t vaddr, uint64_t offset,
                       uint64_t size) {
    Elf64_Shdr& section = sections.emplace_back();
    section.sh_name = name;
    section.sh_type = type;
    section.sh_addr = vaddr;
    section.sh_offset = offset;
    section.sh_size = size;
  };
  add(1, SHT_PROGBITS, kText, text_at, text.size());
  add(7, SHT_SYMTAB, 0, place(symbols.table), symbols.table.size());
  sections.back().sh_entsize = sizeof(Elf64_Sym);
  sections.back().sh_link = 3;
  add(15, SHT_STRTAB, 0, place(symbols.names), symbols.names.size());
  add(23, SHT_PROGBITS, 0xa000, place(frames), frames.size());
  add(33, SHT_STRTAB, 0, place(names), names.size());
  const uint64_t sections_at = file.size();
  for (const Elf64_Shdr& section : sections) append(file, section);

  const Elf64_Ehdr header = elf_head(2, sections_at, sections.size());
  const Elf64_Phdr segments[2] = {
      {PT_LOAD, PF_R | PF_X, text_at, kText, kText, text.size(), text.size(), 1},
      {PT_LOAD, PF_R, tables_at, kTables, kTables, tables.size(), tables.size(), 1}};
  std::memcpy(file.data(), &header, sizeof header);
  std::memcpy(file.data() + sizeof header, segments, sizeof segments);
}

}  // namespace compmond::fuzz
