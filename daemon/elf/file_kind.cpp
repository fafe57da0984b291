// SPDX-License-Identifier: Apache-2.0
#include "elf/file_kind.h"

#include <elf.h>

#include <cstring>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace compmond::elf {
namespace {

bool starts_with(std::span<const unsigned char> head, std::string_view magic) {
  return head.size() >= magic.size() && std::memcmp(head.data(), magic.data(), magic.size()) == 0;
}

// The interpreter's path, cut at the first byte that a path in a message should not carry.
std::string script(std::span<const unsigned char> head) {
  std::string interpreter;
  for (size_t i = 2; i < head.size() && interpreter.size() < 128; ++i) {
    const unsigned char c = head[i];
    if (c == ' ' && interpreter.empty()) continue;
    if (c <= ' ' || c >= 0x7f) break;
    interpreter += char(c);
  }
  if (interpreter.empty()) return "a script, not a native program";
  return "a script run by " + interpreter + ", not a native program";
}

std::string machine_name(unsigned machine) {
  constexpr std::pair<unsigned, const char*> kNames[] = {
      {EM_AARCH64, "arm64"}, {EM_ARM, "32-bit ARM"}, {EM_386, "32-bit x86"}, {EM_RISCV, "RISC-V"},
      {EM_PPC64, "POWER"},   {EM_S390, "s390"},      {EM_MIPS, "MIPS"},      {EM_BPF, "BPF"}};
  for (const auto& [number, name] : kNames)
    if (number == machine) return name;
  return fmt::format("machine number {}", machine);
}

std::string type_name(unsigned type) {
  switch (type) {
    case ET_REL:
      return "an object file (.o) or kernel module, not linked yet";
    case ET_CORE:
      return "a core dump";
    default:
      return fmt::format("an ELF file of the unknown type {}", type);
  }
}

}  // namespace

std::string foreign_kind(std::span<const unsigned char> head) {
  if (head.empty()) return "an empty file";
  if (starts_with(head, "#!")) return script(head);
  if (starts_with(head, "!<arch>\n")) return "a static library (.a)";
  if (starts_with(head, "MZ")) return "a Windows program";
  if (!starts_with(head, ELFMAG)) return "not an ELF file";
  if (head.size() <= EI_VERSION) return "an ELF file that ends inside its header";
  if (head[EI_DATA] == ELFDATA2MSB) return "a big-endian ELF file";
  if (head[EI_CLASS] == ELFCLASS32) return "a 32-bit ELF file";
  if (head[EI_CLASS] != ELFCLASS64 || head[EI_DATA] != ELFDATA2LSB)
    return "an ELF file of an unknown class or byte order";
  if (head.size() < sizeof(Elf64_Ehdr)) return "an ELF file that ends inside its header";
  Elf64_Ehdr header;
  std::memcpy(&header, head.data(), sizeof header);
  if (header.e_machine != EM_X86_64)
    return "an ELF file for another processor: " + machine_name(header.e_machine);
  if (header.e_type != ET_EXEC && header.e_type != ET_DYN) return type_name(header.e_type);
  return {};
}

}  // namespace compmond::elf
