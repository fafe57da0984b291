// SPDX-License-Identifier: Apache-2.0
#include "uprobe_sites/kernel_view.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <set>

namespace compmond::uprobe {
namespace {

constexpr uint64_t kPage = 4096;

// The nops that the kernel writes itself and recognises byte by byte, by length.
constexpr std::array<std::array<uint8_t, 8>, 9> kKernelNops{{
    {},
    {0x90},
    {0x66, 0x90},
    {0x0f, 0x1f, 0x00},
    {0x0f, 0x1f, 0x40, 0x00},
    {0x0f, 0x1f, 0x44, 0x00, 0x00},
    {0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00},
    {0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00},
    {0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
}};

bool has_prefix(const ZydisDecodedInstruction& raw, std::initializer_list<uint8_t> values) {
  for (int i = 0; i < raw.raw.prefix_count; ++i) {
    const uint8_t value = raw.raw.prefixes[i].value;
    if (std::find(values.begin(), values.end(), value) != values.end()) return true;
  }
  return false;
}

// Whether the kernel takes a prefix for the opcode: the fifth different one, and what follows a REX
// prefix that does not stand right before the opcode, which the processor passes over.
bool prefixes_are_misread(const ZydisDecodedInstruction& raw) {
  constexpr size_t kMost = 4;
  std::set<uint8_t> different;
  for (int i = 0; i < raw.raw.prefix_count; ++i) {
    const uint8_t value = raw.raw.prefixes[i].value;
    const bool rex = (value & 0xf0) == 0x40;
    if (rex && i + 1 < raw.raw.prefix_count) return true;
    if (!rex) different.insert(value);
  }
  return different.size() > kMost;
}

// Holes in the kernel's table of one-byte opcodes.
bool one_byte_refused(uint8_t opcode) {
  constexpr uint8_t kHoles[] = {0x06, 0x07, 0x0e, 0x16, 0x17, 0x1e, 0x1f, 0x27, 0x2f, 0x37,
                                0x3f, 0x60, 0x61, 0x62, 0x6c, 0x6d, 0x6e, 0x6f, 0x82, 0x9a,
                                0xcc, 0xcd, 0xce, 0xcf, 0xd4, 0xd5, 0xd6, 0xe4, 0xe5, 0xe6,
                                0xe7, 0xea, 0xec, 0xed, 0xee, 0xef, 0xf1, 0xf4, 0xfa, 0xfb};
  return std::find(std::begin(kHoles), std::end(kHoles), opcode) != std::end(kHoles);
}

// System instructions, syscall and ud2: the kernel means to refuse them, though today its first
// table lets them through.
bool two_byte_refused(uint8_t opcode) {
  constexpr uint8_t kHoles[] = {0x00, 0x01, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0b,
                                0x30, 0x34, 0x35, 0x37, 0x78, 0x79, 0xb9, 0xff};
  return std::find(std::begin(kHoles), std::end(kHoles), opcode) != std::end(kHoles);
}

bool short_branch(uint8_t opcode) {
  return opcode == 0xe8 || opcode == 0xe9 || opcode == 0xeb || (opcode >= 0x70 && opcode <= 0x7f);
}

// What the kernel takes, but does not execute out of line as the processor would in its place.
const char* stepping_objection(const ZydisDecodedInstruction& raw) {
  // REP, REPE and REPNE where they repeat something, not where they are mere prefixes (rep ret).
  constexpr auto kRepeats = ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE;
  if (raw.attributes & kRepeats)
    return "each round of this repeated string instruction would count as a call";
  switch (raw.mnemonic) {
    case ZYDIS_MNEMONIC_PUSHF:
    case ZYDIS_MNEMONIC_PUSHFD:
    case ZYDIS_MNEMONIC_PUSHFQ:
      return "the kernel single-steps pushf, which saves the trap flag: popf would end the program";
    case ZYDIS_MNEMONIC_XBEGIN:
      return "a transaction that is single-stepped never commits";
    default:
      return nullptr;
  }
}

// The kernel looks at the opcode byte of an AVX instruction alone, and takes vpsubsb for a call,
// vzeroupper for a jump, vcmpps for a ret (execution would go on out of line, into nothing),
// vfnmadd132ss for a popf (the trap flag would stay), and vpmaskmovd for a load of %ss.
bool mistaken_for_another(const ZydisDecodedInstruction& raw) {
  constexpr uint8_t kMistaken[] = {0x90, 0x9d, 0xc2, 0xc3, 0xca, 0xcb, 0xff};
  const uint8_t opcode = raw.opcode;
  return one_byte_refused(opcode) || short_branch(opcode) ||
         std::find(std::begin(kMistaken), std::end(kMistaken), opcode) != std::end(kMistaken) ||
         (opcode == 0x8e && raw.raw.modrm.reg == 2);
}

const char* refusal_of(const ZydisDecodedInstruction& raw) {
  const uint8_t opcode = raw.opcode;
  if (has_prefix(raw, {0x26, 0x2e, 0x36, 0x3e}))
    return "the kernel takes no probe on an instruction with a cs, ds, es, ss or notrack prefix";
  if (has_prefix(raw, {0xf0}))
    return "the kernel takes no probe on an instruction with a lock prefix";
  if (prefixes_are_misread(raw)) return "the kernel mistakes one of its prefixes for its opcode";
  switch (raw.encoding) {
    case ZYDIS_INSTRUCTION_ENCODING_LEGACY:
    case ZYDIS_INSTRUCTION_ENCODING_3DNOW:
      break;
    case ZYDIS_INSTRUCTION_ENCODING_VEX:
      if (mistaken_for_another(raw))
        return "the kernel mistakes this AVX instruction for another one";
      return nullptr;
    default:
      return "the kernel takes no probe on an AVX-512 or XOP instruction";
  }
  const bool one_byte = raw.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT;
  const bool two_byte = raw.opcode_map == ZYDIS_OPCODE_MAP_0F;
  if ((one_byte && one_byte_refused(opcode)) || (two_byte && two_byte_refused(opcode)))
    return "the kernel takes no probe on a system or trap instruction";
  if (one_byte && opcode == 0x8e && raw.raw.modrm.reg == 2)
    return "the kernel takes no probe on an instruction that masks exceptions";
  const bool branch = (one_byte && short_branch(opcode)) || (two_byte && (opcode & 0xf0) == 0x80);
  if (branch && has_prefix(raw, {0x66}))
    return "the kernel takes no probe on a branch with a 66 prefix";
  if (one_byte && opcode == 0x90 && raw.raw.rex.B)
    return "the kernel mistakes xchg %rax,%r8 for a nop";
  return stepping_objection(raw);
}

SiteKind site_of(const ZydisDecodedInstruction& raw, std::span<const uint8_t> bytes,
                 uint64_t vaddr) {
  if (raw.encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY) return SiteKind::kStepped;
  const uint8_t opcode = raw.opcode;
  if (raw.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT) {
    if (short_branch(opcode)) return SiteKind::kJump;
    if (opcode == 0x90) return SiteKind::kNop;
    const bool plain = bytes.size() == 1 || (bytes.size() == 2 && bytes[0] == 0x41);
    if (opcode >= 0x50 && opcode <= 0x57 && plain) return SiteKind::kPush;
    return SiteKind::kStepped;
  }
  if (raw.opcode_map != ZYDIS_OPCODE_MAP_0F) return SiteKind::kStepped;
  if ((opcode & 0xf0) == 0x80) return SiteKind::kJump;
  if (bytes.size() < kKernelNops.size() &&
      std::equal(bytes.begin(), bytes.end(), kKernelNops[bytes.size()].begin())) {
    // The kernel replaces the five bytes by a call at once, which it cannot do across two pages.
    const bool one_page = vaddr % kPage + 5 <= kPage;
    return bytes.size() == 5 && one_page ? SiteKind::kNop5 : SiteKind::kNop;
  }
  return SiteKind::kStepped;
}

}  // namespace

KernelView kernel_view(const code::Insn& insn, std::span<const uint8_t> bytes) {
  return {site_of(insn.raw, bytes.first(insn.length), insn.vaddr), refusal_of(insn.raw)};
}

}  // namespace compmond::uprobe
