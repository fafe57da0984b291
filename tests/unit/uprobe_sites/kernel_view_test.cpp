// SPDX-License-Identifier: Apache-2.0
#include "uprobe_sites/kernel_view.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "code/insn.h"

namespace code = compmond::code;

namespace {

// "push", "stepped" …, or "refused".
std::string treated(std::vector<uint8_t> bytes, uint64_t vaddr = 0x1000) {
  const auto insn = code::decode(bytes, vaddr);
  if (!insn || insn->length != bytes.size()) return "not decoded";
  const auto view = compmond::uprobe::kernel_view(*insn, bytes);
  return view.refusal ? "refused" : compmond::to_text(view.site);
}

}  // namespace

TEST_CASE("kernel view: the 5-byte nop within one page needs no trap") {
  CHECK(treated({0x0f, 0x1f, 0x44, 0x00, 0x00}) == "nop5");
  CHECK(treated({0x0f, 0x1f, 0x44, 0x00, 0x00}, 0x1ffb) == "nop5");
  CHECK(treated({0x0f, 0x1f, 0x44, 0x00, 0x00}, 0x1ffc) == "nop");
}

TEST_CASE("kernel view: the kernel's own nops are emulated, others are stepped") {
  CHECK(treated({0x90}) == "nop");
  CHECK(treated({0x66, 0x90}) == "nop");
  CHECK(treated({0xf3, 0x90}) == "nop");
  CHECK(treated({0x0f, 0x1f, 0x00}) == "nop");
  CHECK(treated({0x0f, 0x1f, 0x40, 0x00}) == "nop");
  CHECK(treated({0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00}) == "nop");
  CHECK(treated({0x0f, 0x1f, 0x44, 0x00, 0x08}) == "stepped");
  CHECK(treated({0x66, 0x66, 0x0f, 0x1f, 0x40, 0x00}) == "stepped");
  CHECK(treated({0xf3, 0x0f, 0x1e, 0xfa}) == "stepped");  // endbr64
}

TEST_CASE("kernel view: push of a register is emulated without prefix or with REX.B alone") {
  CHECK(treated({0x55}) == "push");
  CHECK(treated({0x54}) == "push");
  CHECK(treated({0x41, 0x57}) == "push");
  CHECK(treated({0x40, 0x55}) == "stepped");
  CHECK(treated({0x66, 0x55}) == "stepped");
  CHECK(treated({0x6a, 0x01}) == "stepped");
  CHECK(treated({0xff, 0x30}) == "stepped");
}

TEST_CASE("kernel view: relative branches are emulated, indirect ones and ret are stepped") {
  CHECK(treated({0xeb, 0x10}) == "jump");
  CHECK(treated({0xe9, 0, 0, 0, 0}) == "jump");
  CHECK(treated({0x74, 0x10}) == "jump");
  CHECK(treated({0x0f, 0x84, 0, 0, 0, 0}) == "jump");
  CHECK(treated({0xe8, 0, 0, 0, 0}) == "jump");
  CHECK(treated({0xf2, 0xe9, 0, 0, 0, 0}) == "jump");  // bnd jmp
  CHECK(treated({0xff, 0xe0}) == "stepped");
  CHECK(treated({0xe3, 0x10}) == "stepped");  // jrcxz
  CHECK(treated({0xc3}) == "stepped");
  CHECK(treated({0xf3, 0xc3}) == "stepped");
  CHECK(treated({0xc2, 0x08, 0x00}) == "stepped");
}

TEST_CASE("kernel view: what the kernel refuses is refused") {
  CHECK(treated({0x3e, 0xff, 0xe0}) == "refused");  // notrack jmp
  CHECK(treated({0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00}) ==
        "refused");                                 // cs nop
  CHECK(treated({0xf0, 0xff, 0x07}) == "refused");  // lock inc
  CHECK(treated({0xcc}) == "refused");
  CHECK(treated({0xf4}) == "refused");
  CHECK(treated({0xcd, 0x80}) == "refused");
  CHECK(treated({0xec}) == "refused");
  CHECK(treated({0x0f, 0x05}) == "refused");
  CHECK(treated({0x0f, 0x0b}) == "refused");
  CHECK(treated({0x8e, 0xd0}) == "refused");                          // mov %eax,%ss
  CHECK(treated({0x62, 0xf1, 0x7c, 0x48, 0x28, 0xc0}) == "refused");  // AVX-512
}

TEST_CASE("kernel view: what the kernel would emulate wrongly is refused") {
  CHECK(treated({0x49, 0x90}) == "refused");                    // xchg %rax,%r8, taken for a nop
  CHECK(treated({0xc5, 0xf8, 0x77}) == "refused");              // vzeroupper, taken for ja
  CHECK(treated({0xc5, 0xf9, 0x70, 0xc0, 0x1b}) == "refused");  // vpshufd, taken for jo
  CHECK(treated({0xc5, 0xf9, 0xe8, 0xc1}) == "refused");        // vpsubsb, taken for call
  CHECK(treated({0xc5, 0xf0, 0xc2, 0xc0, 0x01}) == "refused");  // vcmpps, taken for ret
  CHECK(treated({0xc4, 0xe2, 0x71, 0x9d, 0xc0}) == "refused");  // vfnmadd132ss, taken for popf
  CHECK(treated({0xc4, 0xe2, 0x79, 0x8e, 0x16}) == "refused");  // vpmaskmovd, taken for mov to %ss
  CHECK(treated({0xc4, 0xe2, 0x79, 0x8e, 0x0e}) == "stepped");  // vpmaskmovd of another register
  CHECK(treated({0xc5, 0xf8, 0x28, 0xc1}) == "stepped");        // vmovaps
}

TEST_CASE("kernel view: where single-stepping would show is refused") {
  CHECK(treated({0x9c}) == "refused");                    // pushf
  CHECK(treated({0x66, 0x9c}) == "refused");              // pushfw
  CHECK(treated({0xf3, 0xa4}) == "refused");              // rep movsb
  CHECK(treated({0xf3, 0x48, 0xab}) == "refused");        // rep stosq
  CHECK(treated({0xf3, 0xac}) == "refused");              // rep lodsb
  CHECK(treated({0xf3, 0xa6}) == "refused");              // repe cmpsb
  CHECK(treated({0xf2, 0xa6}) == "refused");              // repne cmpsb
  CHECK(treated({0xf3, 0xae}) == "refused");              // repe scasb
  CHECK(treated({0xf2, 0x67, 0xae}) == "refused");        // repne scasb (%edi)
  CHECK(treated({0xc7, 0xf8, 0, 0, 0, 0}) == "refused");  // xbegin
  CHECK(treated({0x9d}) == "stepped");                    // popf, which the kernel knows
  CHECK(treated({0xa4}) == "stepped");                    // movsb
  CHECK(treated({0xaa}) == "stepped");
  CHECK(treated({0xf3, 0x0f, 0x6f, 0x06}) == "stepped");  // movdqu: the prefix repeats nothing
}

TEST_CASE("kernel view: a prefix that the kernel takes for the opcode is refused") {
  CHECK(treated({0x48, 0x41, 0xff, 0xd3}) == "refused");
  CHECK(treated({0x48, 0x66, 0x89, 0xd8}) == "refused");
  CHECK(treated({0x64, 0x65, 0x66, 0x67, 0xf2, 0x41, 0xff, 0xd3}) == "refused");
  CHECK(treated({0x64, 0x65, 0x66, 0x67, 0x66, 0x41, 0xff, 0xd3}) == "stepped");
  CHECK(treated({0x41, 0xff, 0xd3}) == "stepped");
  CHECK(treated({0x66, 0x48, 0x89, 0xd8}) == "stepped");
}
