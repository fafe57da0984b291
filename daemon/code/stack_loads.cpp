// SPDX-License-Identifier: Apache-2.0
#include "code/stack_loads.h"

#include <algorithm>
#include <span>
#include <vector>

#include "elf/elf_file.h"

namespace compmond::code {
namespace {

using Range = elf::Image::Range;

constexpr uint64_t kChunk = 4 << 20;  // bytes of code in memory at once
constexpr uint64_t kLongest = 4;      // bytes that are looked at of one instruction

constexpr uint8_t kRexW = 0x48, kRexB = 1, kRexX = 2, kRexR = 4;

// `bytes` begins with a REX prefix for 64 bits; at least kLongest of them.
bool loads_stack_pointer(const uint8_t* bytes) {
  const uint8_t rex = bytes[0], opcode = bytes[1], form = bytes[2], sib = bytes[3];
  const bool in_register = form >= 0xc0;
  const int reg = (form >> 3) & 7, base = form & 7;
  const bool to_base = in_register && base == 4 && !(rex & kRexB);
  const bool to_reg = reg == 4 && !(rex & kRexR);
  const bool rbp_or_rsp = reg == 5 || reg == 4;
  switch (opcode) {
    case 0x89:  // mov %reg, %rsp
      return to_base && !(rbp_or_rsp && !(rex & kRexR));
    case 0x01:  // add %reg, %rsp
      return to_base;
    case 0x8b:  // mov …, %rsp
      return to_reg && !(in_register && (base == 5 || base == 4) && !(rex & kRexB));
    case 0x03:  // add …, %rsp
      return to_reg;
    case 0x8d:  // lea …, %rsp
      if (!to_reg || in_register) return false;
      if (base == 5 && form >= 0x40 && !(rex & kRexB)) return false;
      return !(base == 4 && (sib & 0x3f) == 0x24 && !(rex & (kRexB | kRexX)));
    case 0x87:  // xchg
      return to_base || to_reg;
    case 0x94:  // xchg %rax, %rsp
      return rex == kRexW;
    default:
      return false;
  }
}

// pop %rsp, of what was pushed just before: a byte that elsewhere means many other things.
bool pops_stack_pointer(uint8_t before, uint8_t byte) {
  return byte == 0x5c && (before & 0xf8) == 0x50;
}

// Where code is: what the section headers say, or all that is executable.
std::vector<Range> code_of(const elf::Image& image, const Memory& memory) {
  std::vector<Range> out;
  const auto file = elf::ElfFile::open(image.fd().get(), image.path());
  if (file)
    for (const elf::Section& section : file->sections()) {
      const Elf64_Shdr& header = section.header;
      if (header.sh_type == SHT_PROGBITS && (header.sh_flags & SHF_EXECINSTR))
        out.push_back({header.sh_addr, header.sh_size});
    }
  if (out.empty()) out = memory.text();
  std::ranges::sort(out, {}, &Range::vaddr);
  return out;
}

}  // namespace

void for_each_stack_load(const elf::Image& image, const Memory& memory,
                         const std::function<bool(uint64_t, const Range&)>& tell) {
  for (const Range& range : code_of(image, memory)) {
    for (uint64_t at = 0; at < range.size; at += kChunk) {
      // One byte before the chunk, and some behind it.
      const uint64_t lead = at > 0 ? 1 : 0;
      const uint64_t size = std::min(range.size - at, kChunk);
      auto bytes = memory.read(range.vaddr + at - lead, lead + size + kLongest);
      if (bytes.size() <= lead) break;
      const uint64_t end = std::min<uint64_t>(lead + size, bytes.size());
      bytes.resize(bytes.size() + kLongest);
      for (uint64_t i = lead; i < end; ++i) {
        const uint8_t byte = bytes[i];
        const bool load = (byte & 0xf8) == kRexW ? loads_stack_pointer(&bytes[i])
                                                 : i > 0 && pops_stack_pointer(bytes[i - 1], byte);
        if (load && !tell(range.vaddr + at - lead + i, range)) return;
      }
    }
  }
}

}  // namespace compmond::code
