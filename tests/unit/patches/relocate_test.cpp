// SPDX-License-Identifier: Apache-2.0
#include "patches/relocate.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

using namespace compmond;
using inprocess::append_jump;
using inprocess::append_jump_if;
using inprocess::relocate;
using inprocess::unmovable;

using Code = std::vector<uint8_t>;

namespace {

constexpr uint64_t kVaddr = 0x401000, kBias = 0x7f0000000000, kHere = kVaddr + kBias;
constexpr uint64_t kNear = kHere + 0x1000;  // where the others run

code::Insn decoded(const Code& bytes, uint64_t vaddr = kVaddr) {
  const auto insn = code::decode(bytes, vaddr);
  REQUIRE(insn.has_value());
  REQUIRE(insn->length == bytes.size());
  return *insn;
}

// What is made of it at `at`; empty: it cannot reach that far.
Code moved(const Code& bytes, uint64_t at = kNear) {
  Code out;
  const code::Insn insn = decoded(bytes);
  REQUIRE(unmovable(insn) == nullptr);
  if (!relocate(insn, bytes, kBias, at, out)) CHECK(out.empty());
  return out;
}

bool refused(const Code& bytes, const std::string& why) {
  const char* said = unmovable(decoded(bytes));
  return said && std::string(said).find(why) != std::string::npos;
}

// Where the jump, or the operand in memory, of one that runs at `at` leads.
uint64_t leads_to(const Code& bytes, uint64_t at) {
  const code::Insn insn = decoded(bytes, at);
  if (insn.target) return insn.target;
  for (int i = 0; i < insn.raw.operand_count; ++i)
    if (const auto address = code::fixed_address(insn, insn.operands[size_t(i)])) return *address;
  FAIL("leads nowhere");
  return 0;
}

// It is as long as before, leads to the same place, and differs in nothing but the displacement,
// whose first byte is `offset`.
void check_operand(const Code& bytes, size_t offset, uint64_t at = kNear) {
  const Code out = moved(bytes, at);
  REQUIRE(out.size() == bytes.size());
  CHECK(leads_to(out, at) == leads_to(bytes, kHere));
  CHECK(out != bytes);
  for (size_t i = 0; i < out.size(); ++i)
    if (i < offset || i >= offset + 4) CHECK(out[i] == bytes[i]);
}

}  // namespace

TEST_CASE("relocation: what does not look at its address is copied") {
  for (const Code& bytes : {
           Code{0x55},                                      // push %rbp
           Code{0x48, 0x89, 0xe5},                          // mov %rsp,%rbp
           Code{0xf3, 0x0f, 0x1e, 0xfa},                    // endbr64
           Code{0x8b, 0x04, 0x25, 0x10, 0x20, 0x30, 0x40},  // mov 0x40302010,%eax
           Code{0x48, 0xa1, 1, 2, 3, 4, 5, 6, 7, 8},        // movabs 0x807060504030201,%rax
           Code{0x65, 0x48, 0x8b, 0x04, 0x25, 40, 0, 0, 0}  // mov %gs:40,%rax
       })
    CHECK(moved(bytes) == bytes);
}

TEST_CASE("relocation: a return and an indirect jump are copied") {
  for (const Code& bytes : {Code{0xc3}, Code{0xf3, 0xc3}, Code{0xc2, 8, 0}, Code{0xff, 0xe0},
                            Code{0x3e, 0xff, 0xe0}, Code{0xff, 0x64, 0xc3, 0x10}})
    CHECK(moved(bytes) == bytes);
}

TEST_CASE("relocation: an operand relative to the instruction pointer leads where it led") {
  check_operand({0x48, 0x8b, 0x05, 0x10, 0, 0, 0}, 3);           // mov 16(%rip),%rax
  check_operand({0x48, 0x8d, 0x3d, 0xf0, 0xff, 0xff, 0xff}, 3);  // lea -16(%rip),%rdi
  check_operand({0xff, 0x35, 0x10, 0, 0, 0}, 2);                 // push 16(%rip)
  check_operand({0xf0, 0x48, 0x0f, 0xb1, 0x0d, 1, 2, 3, 0}, 5);  // lock cmpxchg %rcx,197121(%rip)
  check_operand({0x64, 0x8b, 0x05, 0x10, 0, 0, 0}, 3);           // mov %fs:16(%rip),%eax
}

TEST_CASE("relocation: so does that of an indirect jump") {
  check_operand({0xff, 0x25, 0x10, 0, 0, 0}, 2);
  check_operand({0xf2, 0xff, 0x25, 0x10, 0, 0, 0}, 3);
}

TEST_CASE("relocation: an immediate behind the displacement stays, and counts") {
  check_operand({0x80, 0x3d, 0x10, 0, 0, 0, 7}, 2);                     // cmpb $7,16(%rip)
  check_operand({0xc7, 0x05, 0x10, 0, 0, 0, 1, 2, 3, 4}, 2);            // movl $0x4030201,16(%rip)
  check_operand({0x66, 0x81, 0x05, 0x10, 0, 0, 0, 1, 2}, 3);            // addw $0x201,16(%rip)
  check_operand({0x48, 0x69, 0x05, 0x10, 0, 0, 0, 0x10, 0, 0, 0}, 3);   // imul $16,16(%rip),%rax
  check_operand({0x66, 0x0f, 0x3a, 0x0f, 0x05, 0x10, 0, 0, 0, 16}, 5);  // palignr $16,16(%rip),…
}

TEST_CASE("relocation: operands of VEX and EVEX instructions") {
  check_operand({0xc5, 0xfd, 0x6f, 0x05, 0x10, 0, 0, 0}, 4);               // vmovdqa 16(%rip),%ymm0
  check_operand({0xc4, 0xe3, 0x7d, 0x19, 0x05, 0x10, 0, 0, 0, 1}, 5);      // vextractf128 $1,…
  check_operand({0x62, 0xf1, 0x7d, 0x48, 0x6f, 0x05, 0x10, 0, 0, 0}, 6);   // vmovdqa32 …,%zmm0
  check_operand({0x62, 0xf1, 0x7c, 0x48, 0xc2, 0x0d, 1, 0, 0, 0, 17}, 6);  // vcmpps $17,…
}

TEST_CASE("relocation: a jump of either length becomes one of 32 bits") {
  for (const Code& bytes : {Code{0xeb, 0x10}, Code{0xe9, 0x10, 0, 0, 0}, Code{0xeb, 0x80}}) {
    const Code out = moved(bytes);
    REQUIRE(out.size() == 5);
    CHECK(out[0] == 0xe9);
    CHECK(leads_to(out, kNear) == leads_to(bytes, kHere));
  }
}

TEST_CASE("relocation: a conditional jump keeps its condition") {
  for (uint8_t condition = 0; condition < 16; ++condition) {
    for (const Code& bytes : {Code{uint8_t(0x70 + condition), 0x10},
                              Code{0x0f, uint8_t(0x80 + condition), 0xf0, 0xff, 0xff, 0xff}}) {
      const Code out = moved(bytes);
      REQUIRE(out.size() == 6);
      CHECK(out[0] == 0x0f);
      CHECK(out[1] == 0x80 + condition);
      CHECK(leads_to(out, kNear) == leads_to(bytes, kHere));
    }
  }
}

TEST_CASE("relocation: hints, bnd and the size of addresses say nothing of where a jump leads") {
  const Code jump = moved({0xeb, 0x10}), jump_if = moved({0x74, 0x10});
  for (const uint8_t prefix : {0x2e, 0x3e, 0xf2, 0x67}) {
    const Code out = moved({prefix, 0x74, 0x0f});
    CHECK(out == jump_if);
    CHECK(moved({prefix, 0xe9, 0x0c, 0, 0, 0}) == jump);
  }
}

TEST_CASE("relocation: what is appended stands behind what is there") {
  const Code bytes{0x8b, 0x05, 0x10, 0, 0, 0}, jump{0x74, 0x10};
  Code out{0x90, 0x90, 0x90};
  CHECK(relocate(decoded(bytes), bytes, kBias, kNear, out));
  CHECK(relocate(decoded(jump), jump, kBias, kNear, out));
  CHECK(append_jump(kHere, kNear, out));
  REQUIRE(out.size() == 3 + 6 + 6 + 5);
  CHECK(leads_to({out.begin() + 3, out.begin() + 9}, kNear + 3) == leads_to(bytes, kHere));
  CHECK(leads_to({out.begin() + 9, out.begin() + 15}, kNear + 9) == leads_to(jump, kHere));
  CHECK(leads_to({out.begin() + 15, out.end()}, kNear + 15) == kHere);
}

TEST_CASE("relocation: bytes may go on behind the instruction") {
  Code bytes{0x55, 0x48, 0x89, 0xe5}, out;
  const auto insn = code::decode(bytes, kVaddr);
  REQUIRE(insn.has_value());
  CHECK(relocate(*insn, bytes, kBias, kNear, out));
  CHECK(out == Code{0x55});
}

TEST_CASE("relocation: it reaches 2 GiB, and not a byte more") {
  const Code bytes{0xff, 0x25, 0, 0, 0, 0};  // leads to kHere + 6
  for (const uint64_t at : {kHere + 0x80000000, kHere - 0x7fffffff}) {
    const Code out = moved(bytes, at);
    REQUIRE(out.size() == bytes.size());
    CHECK(leads_to(out, at) == kHere + 6);
  }
  CHECK(moved(bytes, kHere + 0x80000001).empty());
  CHECK(moved(bytes, kHere - 0x80000000).empty());
}

TEST_CASE("relocation: jumps reach 2 GiB, and not a byte more") {
  const uint64_t to = kHere;
  for (const uint64_t size : {5, 6}) {
    const auto reaches = [&](uint64_t at) {
      Code out{0x90};
      const bool done =
          size == 5 ? append_jump(to, at - 1, out) : append_jump_if(4, to, at - 1, out);
      CHECK(out.size() == (done ? 1 + size : 1));
      if (done) CHECK(leads_to({out.begin() + 1, out.end()}, at) == to);
      return done;
    };
    CHECK(reaches(to + 0x80000000 - size));
    CHECK(!reaches(to + 0x80000001 - size));
    CHECK(reaches(to - 0x7fffffff - size));
    CHECK(!reaches(to - 0x80000000 - size));
  }
}

TEST_CASE("relocation: a jump that is too far leaves nothing behind") {
  const uint64_t far = kHere + 0x100000000;
  CHECK(moved({0xeb, 0x10}, far).empty());
  CHECK(moved({0x74, 0x10}, far).empty());
  CHECK(moved({0x90}, far) == Code{0x90});  // has nothing to reach
}

TEST_CASE("relocation: a system call stays") {
  CHECK(refused({0x0f, 0x05}, "system call"));  // syscall
  CHECK(refused({0x0f, 0x34}, "system call"));  // sysenter
  CHECK(refused({0xcd, 0x80}, "system call"));  // int $0x80
}

TEST_CASE("relocation: calls of a hypervisor and into an enclave stay") {
  CHECK(refused({0x0f, 0x01, 0xc1}, "hypervisor"));  // vmcall
  CHECK(refused({0x0f, 0x01, 0xd9}, "hypervisor"));  // vmmcall
  CHECK(refused({0x0f, 0x01, 0xd7}, "enclave"));     // enclu
}

TEST_CASE("relocation: a call stays") {
  CHECK(refused({0xe8, 0, 0, 0, 0}, "call"));
  CHECK(refused({0xff, 0xd0}, "call"));
  CHECK(refused({0xff, 0x15, 0, 0, 0, 0}, "call"));
}

TEST_CASE("relocation: far transfers stay") {
  CHECK(refused({0xff, 0x28}, "far"));  // ljmp *(%rax)
  CHECK(refused({0xff, 0x18}, "far"));  // lcall *(%rax)
  CHECK(refused({0xcb}, "far"));        // lret
  CHECK(refused({0x48, 0xcf}, "far"));  // iretq
}

TEST_CASE("relocation: what stops a program stays") {
  for (const Code& bytes : {Code{0x0f, 0x0b}, Code{0xcc}, Code{0xf1}, Code{0xf4}})
    CHECK(refused(bytes, "stops"));
}

TEST_CASE("relocation: jumps that something else than flags decides stay") {
  for (const Code& bytes : {Code{0xe3, 0}, Code{0x67, 0xe3, 0}, Code{0xe2, 0}, Code{0xe1, 0},
                            Code{0xe0, 0}, Code{0xc7, 0xf8, 0, 0, 0, 0}})
    CHECK(refused(bytes, "loop, jrcxz or xbegin"));
}

TEST_CASE("relocation: a direct jump whose length depends on the processor stays") {
  CHECK(refused({0x66, 0xe9, 0, 0, 0, 0}, "operand size"));
  CHECK(refused({0x66, 0xeb, 0}, "operand size"));
  CHECK(refused({0x66, 0x74, 0}, "operand size"));
  CHECK(refused({0x66, 0x0f, 0x84, 0, 0, 0, 0}, "operand size"));
}

TEST_CASE("relocation: an operand relative to 32 bits of the instruction pointer stays") {
  CHECK(refused({0x67, 0x8b, 0x05, 0, 0, 0, 0}, "%eip"));
  CHECK(refused({0x67, 0x48, 0x8d, 0x05, 0, 0, 0, 0}, "%eip"));
  CHECK(refused({0x67, 0xff, 0x25, 0, 0, 0, 0}, "%eip"));
}
