// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "probed.h"

using compmond::uprobe::SiteKind;

namespace {

// Bytes that the probe of a function with this body moves by.
uint64_t moved(const std::string& body, const std::string& others = {}) {
  Probed code(function("f", body) + others);
  return code.find("f").moved_by;
}

}  // namespace

TEST_CASE("entry: the probe moves past endbr64 to the push") {
  Probed code(function("f", "endbr64; push %rbp; mov %rsp,%rbp; pop %rbp; ret"));
  const auto sites = code.find("f");
  CHECK(sites.moved_by == 4);
  CHECK(sites.entry.vaddr == code.symbol("f").vaddr + 4);
  CHECK(sites.entry.kind == SiteKind::kPush);
  CHECK(sites.first.vaddr == code.symbol("f").vaddr);
  CHECK(sites.first.kind == SiteKind::kStepped);
}

TEST_CASE("entry: a cheap first instruction stays, even before a cheaper one") {
  CHECK(moved("push %rbx; .byte 0x0f,0x1f,0x44,0,0; pop %rbx; ret") == 0);
  CHECK(moved("nop; .byte 0x0f,0x1f,0x44,0,0; ret") == 0);
}

TEST_CASE("entry: the cheapest kind wins, then the earliest") {
  CHECK(moved("endbr64; .byte 0x0f,0x1f,0x44,0,0; push %rbx; pop %rbx; ret") == 4);
  CHECK(moved("endbr64; nop; mov %edi,%eax; .byte 0x0f,0x1f,0x44,0,0; ret") == 7);
  CHECK(moved("endbr64; nop; nop; ret") == 4);
}

TEST_CASE("entry: no probe moves to a 5-byte nop behind what may store below the stack pointer") {
  const std::string nop5 = "; .byte 0x0f,0x1f,0x44,0,0; mov -8(%rsp),%rax; ret";
  for (const char* store :
       {"mov %rdi,-8(%rsp)", "movups %xmm0,-24(%rsp)", "mov %rdi,-128(%rsp,%rsi,8)",
        "mov %rdi,8(%rsp,%rsi,8)", "lea -64(%rsp),%rax; mov %rdi,(%rax)", "mov %rsp,%rax",
        "addq $1,-16(%rsp)", "push -8(%rsp)"})
    CHECK_MESSAGE(moved(store + nop5) == 0, store);
  // Nothing is kept there yet.
  for (const char* harmless :
       {"mov %rdi,8(%rsp)", "mov -8(%rsp),%rax", "mov %rdi,(%rsi)", "mov %rdi,-8(%rbp)", "endbr64"})
    CHECK_MESSAGE(moved(harmless + nop5) > 0, harmless);
}

TEST_CASE("entry: where system calls of probes do not arrive no probe moves to a 5-byte nop") {
  const auto entry = [](const std::string& body) {
    return Probed(function("f", body), false).find("f").entry;
  };
  CHECK(entry(".byte 0x0f,0x1f,0x44,0,0; push %rbx; pop %rbx; ret").kind == SiteKind::kPush);
  CHECK(entry("endbr64; .byte 0x0f,0x1f,0x44,0,0; nop; ret").kind == SiteKind::kNop);
  CHECK(entry("endbr64; .byte 0x0f,0x1f,0x44,0,0; ret").kind == SiteKind::kStepped);
}

TEST_CASE("entry: behind a store below the stack pointer what the kernel emulates will do") {
  CHECK(moved("mov %rdi,-8(%rsp); .byte 0x0f,0x1f,0x44,0,0; nop; ret") == 10);
  CHECK(moved("nopw (%rax); .byte 0x0f,0x1f,0x44,0,0; mov %rdi,-8(%rsp); .byte 0x0f,0x1f,0x44,0,0; "
              "ret") == 4);
}

TEST_CASE("entry: a conditional jump can be the place, but is never passed") {
  CHECK(moved("test %rdi,%rdi; je 1f; push %rbx; pop %rbx; 1: ret") == 3);
  // 0x2e: a prefix with which the kernel takes no probe on the jump.
  CHECK(moved("test %rdi,%rdi; .byte 0x2e; je 1f; push %rbx; pop %rbx; 1: ret") == 0);
}

TEST_CASE("entry: the search ends where %rsp changes") {
  CHECK(moved("sub $8,%rsp; nop; add $8,%rsp; ret") == 0);
  CHECK(moved("mov %rsp,%rax; nop; ret") == 3);
  CHECK(moved("mov %rdi,%rsp; nop; ret") == 0);
  CHECK(moved("endbr64; pop %rax; nop; push %rax; ret") == 0);
}

TEST_CASE("entry: a call can be the place, but is never passed") {
  CHECK(moved("xor %edi,%edi; call g@plt; ret", "") == 2);
  CHECK(moved("call *%rdi; nop; ret") == 0);
}

TEST_CASE("entry: nothing that may take long or never come back is passed") {
  CHECK(moved("mov $1,%eax; syscall; nop; ret") == 0);
  CHECK(moved("mov %rdx,%rcx; rep movsb; nop; ret") == 0);
  CHECK(moved("mov $1,%eax; hlt; nop; ret") == 0);
}

TEST_CASE("entry: a loop back behind the first instruction keeps the probe there") {
  CHECK(moved("endbr64; 1: push %rbx; pop %rbx; dec %edi; jne 1b; ret") == 0);
  CHECK(moved("endbr64; push %rbx; 1: dec %edi; jne 1b; pop %rbx; ret") == 4);
}

TEST_CASE("entry: an earlier place is taken when a loop reaches only the cheapest") {
  CHECK(moved("endbr64; nop; 1: mov %edi,%eax; .byte 0x0f,0x1f,0x44,0,0; dec %edi; jne 1b; ret") ==
        4);
}

TEST_CASE("entry: a jump from another function keeps the probe at the first instruction") {
  const std::string body = "endbr64; .Linner: mov %edi,%eax; push %rbx; pop %rbx; ret";
  CHECK(moved(body) == 6);
  CHECK(moved(body, function("g", "jmp .Linner")) == 0);
  CHECK(moved(body, function("g", "test %edi,%edi; jne .Linner; ret")) == 0);
  CHECK(moved(body, function("g", "sub $8,%rsp; call .Linner; add $8,%rsp; ret")) == 0);
  CHECK(moved(body, function("g", ".byte 0xe9; .long .Linner - . - 4")) == 0);
}

TEST_CASE("entry: a symbol on the way keeps the probe at the first instruction") {
  CHECK(moved("endbr64; .globl g; .type g,@function; g: push %rbx; pop %rbx; ret") == 0);
}

TEST_CASE(
    "entry: an indirect jump that may lead anywhere keeps the probe at the first "
    "instruction") {
  CHECK(moved("endbr64; push %rbx; lea table(%rip),%rax; pop %rbx; jmp *(%rax,%rdi,8)",
              ".section .data.rel.ro,\"aw\"; table: .quad f") == 0);
}

TEST_CASE("entry: a function that jumps back to its first instruction is refused") {
  Probed code(function("f", "dec %edi; jne f; ret"));
  const auto sites = code.try_find("f");
  REQUIRE_FALSE(sites);
  CHECK(sites.error().text() ==
        "cannot observe f: it jumps back to its first instruction: each round would look like a "
        "call. Observe its "
        "callers instead");
}

TEST_CASE("entry: a first instruction that takes no probe is an error that says why") {
  Probed code(function("f", "lock incl (%rdi); push %rbx; pop %rbx; ret") + function("g", "hlt") +
              function("h", ".byte 0x06; ret"));
  CHECK(code.try_find("f").error().why ==
        "the kernel takes no probe on an instruction with a lock prefix");
  CHECK(code.try_find("g").error().why ==
        "the kernel takes no probe on a system or trap instruction");
  CHECK(code.try_find("h").error().why == "its first bytes are no instruction");
  CHECK(code.try_find("h").error().code == compmond::Exit::kData);
}

TEST_CASE("entry: the registers that the probe moves past are known") {
  const auto passed = [](const std::string& body) {
    return int(Probed(function("f", body)).find("f").passed_writes);
  };
  CHECK(passed("push %rbx; pop %rbx; ret") == 0);
  CHECK(passed("endbr64; push %rbx; pop %rbx; ret") == 0);
  CHECK(passed("mov %rdi,%rax; push %rbx; pop %rbx; ret") == 1 << 0);
  CHECK(passed("movzbl %sil,%esi; xor %edi,%edi; push %rbx; pop %rbx; ret") == (1 << 6 | 1 << 7));
  CHECK(passed("xor %r9d,%r9d; push %rbx; pop %rbx; ret") == 1 << 9);
  CHECK(passed("mul %rdi; push %rbx; pop %rbx; ret") == (1 << 0 | 1 << 2));
}
