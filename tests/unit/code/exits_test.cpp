// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "assembled.h"

namespace {

const std::string kOther = function("other", "endbr64; ret");

std::string exits(const std::string& body, const std::string& others = kOther) {
  Assembled code(function("f", body) + others);
  return code.exits("f");
}

// gcc's position-independent switch over %edi with three cases that return.
std::string switch_body(const std::string& bound) {
  return bound +
         "lea table(%rip),%rdx\n movslq (%rdx,%rdi,4),%rax\n add %rdx,%rax\n jmp *%rax\n"
         "c0: mov $1,%eax\n ret\n c1: mov $2,%eax\n ret\n c2: mov $3,%eax\n ret\n 9: xor "
         "%eax,%eax\n ret\n";
}
const std::string kTable =
    ".section .rodata\n .p2align 2\n table: .long c0-table, c1-table, c2-table\n .long "
    "0x7fffffff\n";

}  // namespace

TEST_CASE("exits: every ret in reach is an exit, whatever its form") {
  CHECK(exits("nop; test %edi,%edi; je 1f; ret; 1: nop; rep ret") == "+5 +7");
  CHECK(exits("nop; ret $16") == "+1");
  CHECK(exits("push %rbp; mov %rsp,%rbp; sub $32,%rsp; leave; ret") == "+9");
}

TEST_CASE("exits: a jump to another function is a tail jump") {
  CHECK(exits("mov %edi,%eax; jmp other") == "+2j");
  CHECK(exits("sub $8,%rsp; call other; add $8,%rsp; jmp other") == "+13j");
  CHECK(exits("mov %edi,%eax; jmp elsewhere@plt") == "+2j");
}

TEST_CASE("exits: a conditional tail jump is an exit when its condition holds") {
  CHECK(exits("test %edi,%edi; je other; ret") == "+2j4 +4");
  CHECK(exits("cmp %edi,%esi; nop; jg other; jo other; ret") == "+3j15 +5j0 +7");
  CHECK(exits("push %rbx; test %edi,%edi; je other; pop %rbx; ret") ==
        "at +0x3 the stack is not as at entry (-8 bytes)");
}

TEST_CASE("exits: a conditional tail jump that no flag decides is an exit that says so") {
  CHECK(exits("nop; jrcxz 7f; ret", function("other", "7: endbr64; ret")) == "+1j? +3");
}

TEST_CASE("exits: the stack must be as at entry") {
  CHECK(exits("push %rbx; ret") == "at +0x1 the stack is not as at entry (-8 bytes)");
  CHECK(exits("sub $24,%rsp; jmp other") == "at +0x4 the stack is not as at entry (-24 bytes)");
  CHECK(exits("push %rbp; mov %rsp,%rbp; push %rbx; lea -8(%rbp),%rsp; pop %rbx; pop %rbp; ret") ==
        "+11");
  CHECK(exits("push %rbp; mov %rsp,%rbp; and $-32,%rsp; mov %rbp,%rsp; pop %rbp; ret") == "+12");
}

TEST_CASE("exits: an indirect jump with the stack as at entry is a tail call") {
  CHECK(exits("mov (%rdi),%rax; jmp *16(%rax)") == "+3j");
  CHECK(exits("mov (%rdi),%rax; mov 8(%rax),%rax; jmp *%rax") == "+7j");
  CHECK(exits("nop; jmp *%rsi") == "+1j");
  CHECK(exits("push %rbx; call other; pop %rbx; jmp *%rax") == "+7j");
}

TEST_CASE("exits: a jump to an argument is a tail call, whatever its register holds later") {
  CHECK(exits("mov %rsi,%rax; mov %rdx,%rsi; jmp *%rax") == "+6j");
  CHECK(exits("test %edi,%edi; je 1f; mov 8(%rsi),%rsi; 1: jmp *%rsi") != "+8j");  // one of two
}

TEST_CASE("exits: a jump to a pointer that the C library keeps mixed is a tail call") {
  CHECK(exits("mov 8(%rdi),%rax; ror $0x11,%rax; xor %fs:0x30,%rax; jmp *%rax") == "+17j");
  CHECK(exits("mov 8(%rdi),%rax; xor %rsi,%rax; jmp *%rax") != "+7j");
}

TEST_CASE("exits: a jump through a table of the loader's is a tail call, unless that has labels") {
  const std::string body =
      ".cfi_startproc; lea table(%rip),%rcx; 2: jmp *(%rcx,%rdi,8); .cfi_endproc";
  const auto with = [&](const std::string& entries) {
    return exits(body, function("other", "ret") +
                           ".section .data.rel.ro,\"aw\"\n.p2align 3\ntable: .quad " + entries);
  };
  CHECK(with("other, other") == "+7j");
  CHECK(with("other, f") == "+7j");
  CHECK(with("other, f+7") ==
        "the indirect jump at +0x7 is neither a known jump table nor clearly a tail call");
}

TEST_CASE("exits: an indirect jump that may be neither leaves the exits unknown") {
  const std::string unknown = " is neither a known jump table nor clearly a tail call";
  CHECK(exits("push %rbx; jmp *%rax") == "the indirect jump at +0x1" + unknown);
  CHECK(exits("mov (%rsi,%rdi,8),%rax; jmp *%rax") == "the indirect jump at +0x4" + unknown);
  CHECK(exits("lea 1(%rdi),%rax; jmp *%rax") == "the indirect jump at +0x4" + unknown);
}

TEST_CASE("exits: what no probe of the kernel can sit on is an exit like any other") {
  CHECK(exits("mov (%rdi),%rax; .byte 0x3e; jmp *%rax") == "+3j");
  CHECK(exits("lock incl (%rdi); ret") == "+3");
}

TEST_CASE("exits: a jump table is followed when its index is bounded") {
  CHECK(exits(switch_body("mov %edi,%edi\n cmp $2,%edi\n ja 9f\n"), kTable) == "+28 +34 +40 +43");
  CHECK(exits(switch_body("mov %edi,%edi\n cmp $3,%edi\n jae 9f\n"), kTable) == "+28 +34 +40 +43");
  CHECK(exits(switch_body("cmp $2,%edi\n jbe 1f\n jmp 9f\n 1: mov %edi,%edi\n"), kTable)
            .starts_with("+"));
  CHECK(exits(switch_body("cmp $2,%dil\n ja 9f\n movzbl %dil,%edi\n"), kTable).starts_with("+"));
  CHECK(exits(switch_body("cmpl $2,(%rsi)\n ja 9f\n mov (%rsi),%edi\n"), kTable).starts_with("+"));
}

TEST_CASE("exits: a comparison of a copy of the index bounds it, as nginx has it") {
  const std::string unknown = "neither a known jump table nor clearly a tail call";
  CHECK(exits(switch_body("mov %edi,%ecx\n cmp $2,%ecx\n ja 9f\n mov %edi,%edi\n"), kTable)
            .starts_with("+"));
  CHECK(exits(switch_body("mov %edi,%ecx\n mov %edi,%edi\n cmp $2,%ecx\n ja 9f\n"), kTable)
            .ends_with(unknown));  // the index was set since, to what is not looked at
  CHECK(exits(switch_body("mov %ecx,%edi\n cmp $2,%ecx\n ja 9f\n"), kTable).starts_with("+"));
  CHECK(exits(switch_body("mov %edi,%ecx\n inc %edi\n cmp $2,%ecx\n ja 9f\n"), kTable)
            .ends_with(unknown));
  CHECK(exits(switch_body("mov %edi,%ecx\n inc %ecx\n cmp $2,%ecx\n ja 9f\n"), kTable)
            .ends_with(unknown));
  CHECK(exits(switch_body("mov %di,%cx\n cmp $2,%ecx\n ja 9f\n"), kTable).ends_with(unknown));
  CHECK(exits(switch_body("test %esi,%esi\n je 1f\n mov %edi,%ecx\n 1: cmp $2,%ecx\n ja 9f\n"),
              kTable)
            .ends_with(unknown));
}

TEST_CASE("exits: the low byte of a wider index bounds nothing") {
  const std::string unknown = "neither a known jump table nor clearly a tail call";
  CHECK(exits(switch_body("cmp $2,%dil\n ja 9f\n movzwl %di,%edi\n"), kTable).ends_with(unknown));
}

namespace {

// An interpreter's dispatch with addresses of labels: a byte says where to go on. The compiler
// merged two jumps.
std::string dispatch(const std::string& index) {
  return function("f",
                  "test %esi,%esi\n je 1f\n" + index +
                      "mov table(,%rax,8),%rcx\n mov %rcx,%rdx\n"
                      "jmp 2f\n 1: movzbl 1(%rdi),%eax\n mov table(,%rax,8),%rdx\n 2: jmp *%rdx\n"
                      "c0: mov $1,%eax\n ret\n c1: mov $2,%eax\n ret\n c2: ret\n");
}
// In memory that the program does not write.
std::string labels(const std::string& rest) {
  return ".section .rodata\n .p2align 3\n table: .quad c0, c1, c2\n .rept 61\n .quad c0, c1, c0, "
         "c2\n"
         ".endr\n .quad c1\n" +
         rest;
}

std::string exits_at_fixed_addresses(const std::string& assembly) {
  return Assembled(assembly, Assembled::Kind::kFixed).exits("f");
}

}  // namespace

TEST_CASE("exits: a byte that chooses an address of a table bounds it") {
  const std::string unknown = "neither a known jump table nor clearly a tail call";
  const std::string byte = dispatch("movzbl (%rdi),%eax\n");
  const std::string more = ".quad c0, c1, c2, c2, c1, c0, c1, c2\n";  // 256 in all
  CHECK(exits_at_fixed_addresses(byte + labels(more)).starts_with("+"));
  CHECK(exits_at_fixed_addresses(byte + labels(".quad 17\n .fill 64, 1, 0\n")).starts_with("+"));
  // A neighbour's table, whose code would be taken for a part of this function.
  CHECK(
      exits_at_fixed_addresses(byte + labels(".quad other\n .quad 17\n .fill 64, 1, 0\n") + kOther)
          .ends_with(unknown));
  const std::string narrowed = dispatch("movzwl (%rdi),%eax\n movzbl %al,%eax\n");
  CHECK(exits_at_fixed_addresses(narrowed + labels(more)).starts_with("+"));
  CHECK(
      exits_at_fixed_addresses(dispatch("movzwl (%rdi),%eax\n") + labels(more)).ends_with(unknown));
}

TEST_CASE("exits: a jump table without a bound, or with one too large, is not guessed") {
  const std::string unknown = "neither a known jump table nor clearly a tail call";
  CHECK(exits(switch_body("mov %edi,%edi\n"), kTable).ends_with(unknown));
  CHECK(exits(switch_body("mov %edi,%edi\n cmp $3,%edi\n ja 9f\n"), kTable).ends_with(unknown));
  CHECK(exits(switch_body("cmp $2,%edi\n ja 9f\n inc %edi\n"), kTable).ends_with(unknown));
  CHECK(exits(switch_body("cmp $2,%edi\n jb 9f\n mov %edi,%edi\n"), kTable).ends_with(unknown));
}

TEST_CASE("exits: a table address set before a loop is found") {
  CHECK(exits("push %rbx; lea table(%rip),%rbx; 1: cmp $2,%edi; ja 9f; mov %edi,%eax; movslq "
              "(%rbx,%rax,4),%rax;"
              "add %rbx,%rax; jmp *%rax; c0: dec %edi; jmp 1b; c1: pop %rbx; ret; c2: inc %edi; "
              "jmp 1b; 9: pop %rbx; ret",
              ".section .rodata\n table: .long c0-table, c1-table, c2-table\n")
            .starts_with("+"));
}

TEST_CASE("exits: a cold part belongs to its function, in both ways of knowing it") {
  const std::string body = "test %edi,%edi; js f.cold; 1: ret";
  const std::string named = function("f.cold", "push %rax; pop %rax; test %eax,%eax; jne f+4; ret");
  Assembled code(function("f", body) + named);
  const auto scan = code.scan("f");
  REQUIRE(scan.exits_complete);
  CHECK(scan.exits.size() == 2);
  CHECK(scan.exits[1].vaddr == code.symbol("f.cold").vaddr + 6);

  const std::string nameless =
      ".p2align 4\n .cfi_startproc\n .Lcold: mov %edi,%eax\n ret\n .cfi_endproc\n";
  Assembled stripped(function("f", "test %edi,%edi; js .Lcold; ret") + nameless);
  CHECK(stripped.scan("f").exits_complete);
  CHECK(stripped.scan("f").exits.size() == 2);
}

TEST_CASE("exits: a plain jump to nameless code with the stack as at entry is a tail call") {
  const std::string nameless =
      ".p2align 4\n .cfi_startproc\n .Llocal: mov %edi,%eax\n ret\n .cfi_endproc\n";
  CHECK(exits("mov %esi,%edi; jmp .Llocal", nameless) == "+2j");
}

TEST_CASE("exits: code that only the unwinder reaches is searched for exits") {
  CHECK(exits("nop; ret; nop; pop %rbx; ret") == "+1 +4");
}

TEST_CASE("exits: a path ends behind a call that does not return and at ud2") {
  CHECK(exits("test %edi,%edi; je 1f; ret; 1: call other") == "+4");
  CHECK(exits("test %edi,%edi; je 1f; ret; 1: ud2") == "+4");
}

TEST_CASE(
    "exits: a function that runs past its end, jumps into another or is no code is not "
    "guessed") {
  CHECK(exits("push %rbx; pop %rbx") == "it runs past its end at +0x1");
  CHECK(exits("jmp other+2") == "the jump at +0x0 leads into the middle of other");
  CHECK(exits("nop; .byte 0x06; ret") == "the bytes at +0x1 are no instruction");
  CHECK(exits("test %edi,%edi; je 1f+1; 1: mov $0xc3,%eax; ret") ==
        "a jump leads into the middle of an instruction at +0x5");
  CHECK(exits("jmp other") == "+0j");
}

TEST_CASE("exits: of a function of unknown size the exits are unknown, and why is said") {
  Assembled code(
      ".text\n .globl f\n .type f,@function\n f: endbr64\n push %rbx\n pop %rbx\n ret\n");
  CHECK(code.exits("f") == "neither its symbol nor unwind information says how long it is");
  CHECK(code.scan("f").size == 0);
}
