// SPDX-License-Identifier: Apache-2.0
#include "code/switches.h"

#include <doctest/doctest.h>

#include "../plan/built_image.h"
#include "assembled.h"
#include "real_binaries.h"

using compmond::code::find_stack_switches;

namespace {

std::string found_in(const std::string& assembly) {
  return find_stack_switches(Assembled(assembly).image()).found;
}

std::string found_in_c(const std::string& text, const std::string& flags) {
  return find_stack_switches(*built_image("/lib/libx.so", ".c", text, false, flags).image).found;
}

// Routines as libraries have them, by what is particular to each.
const std::string kBySlot =  // libco, libcoro, Ruby
    "mov %rsp, (%rsi)\nmov (%rdi), %rsp\npop %rax\njmp *%rax";
const std::string kByArgument =  // Boost.Context
    "lea -0x40(%rsp), %rsp\nmov %rbx, 0x28(%rsp)\nmov %rsp, %rax\nmov %rdi, %rsp\n"
    "mov 0x38(%rsp), %r8\nmov 0x28(%rsp), %rbx\nlea 0x40(%rsp), %rsp\njmp *%r8";
const std::string kByAddress =  // the stack pointer behind the return address, and a lea
    "lea 8(%rsp), %rdx\nmov %rdx, 0x30(%rdi)\nmov 0x30(%rsi), %rcx\nlea -8(%rcx), %rsp\nret";
const std::string kByExchange = "push %rbp\nxchg %rsp, (%rdi)\npop %rbp\nret";
const std::string kByExchangeOfRegisters = "xchg %rdi, %rsp\nmov %rdi, (%rsi)\nret";
const std::string kByPush = "mov %rsp, (%rdi)\npush (%rsi)\npush %rsi\npop %rsp\nret";
const std::string kByGlobal =
    "mov %rsp, saved(%rip)\nmov next(%rip), %rsp\nret\n.lcomm saved, 8\n.lcomm next, 8\n.text";
const std::string kByConstant =
    "push %rbx\nmov %rsp, %rbx\nlea area(%rip), %rsp\ncall *%rdi\nmov %rbx, %rsp\npop %rbx\nret\n"
    ".lcomm area, 64\n.text";
const std::string kByCall =  // runs a function on another stack
    "push %rbp\nmov %rsp, %rbp\nmov %rdi, %rsp\ncall *%rsi\nleave\nret";
const std::string kByDifference =  // greenlet: the stack's content changes places with another's
    "push %rbp\nmov %rsp, (%rdi)\nmov (%rsi), %rcx\nadd %rcx, %rsp\nadd %rcx, %rbp\npop %rbp\nret";

}  // namespace

TEST_CASE("switches: routines that save one stack pointer and load another are found") {
  for (const std::string& body :
       {kBySlot, kByArgument, kByAddress, kByExchange, kByExchangeOfRegisters, kByGlobal,
        kByConstant, kByCall, kByDifference}) {
    CAPTURE(body);
    CHECK(found_in(function("f", "ret") + function("change", body) + function("g", "ret")) ==
          "change");
  }
}

TEST_CASE("switches: one without a name or description is found by its address") {
  const std::string nameless = ".text\n.p2align 4\n" + kBySlot + "\n";
  for (const std::string& around : {std::string(), std::string(4096, 'x')}) {
    const std::string other = function("f", around.empty() ? "ret" : ".rept 3000\nnop\n.endr\nret");
    CHECK(found_in(other + nameless).starts_with("the code at 0x"));
    CHECK(found_in(nameless + other).starts_with("the code at 0x"));
  }
  // A label that nothing says is a function, as in hand-written files.
  CHECK(found_in(".globl change\nchange:\n" + kBySlot).starts_with("the code at 0x"));
}

TEST_CASE("switches: what gives a function's own stack pointer back is none") {
  for (const std::string body : {
           "push %rbp\nmov %rsp, %rbp\nsub %rdi, %rsp\nmov %rbp, %rsp\npop %rbp\nret",
           "push %rbp\nmov %rsp, %rbp\nand $-64, %rsp\nlea -8(%rbp), %rsp\npop %rbx\nleave\nret",
           "mov %rsp, %rax\nand $-64, %rsp\nsub $128, %rsp\nmov %rax, 40(%rsp)\nmov %rsi, (%rdi)\n"
           "mov 40(%rsp), %rsi\nlea (%rsi), %rsp\nret",  // OpenSSL's
           "lea 8(%rsp), %r10\nand $-32, %rsp\npush -8(%r10)\npush %rbp\nmov %rsp, %rbp\npush "
           "%r10\n"
           "mov -8(%rbp), %r10\npop %r10\npop %rbp\nlea -8(%r10), %rsp\nret",
           "mov %rsp, %rbx\nmov %rbx, (%rdi)\nsub %rsi, %rsp\nmov %rbx, %rsp\nret",
           "mov $0x12345678, %rax\nsub %rax, %rsp\nmov %rsp, (%rdi)\nmov $0x12345678, %rax\n"
           "add %rax, %rsp\nret",
           "push %rsp\npush (%rsp)\nand $-16, %rsp\ncall *%rdi\nmov 8(%rsp), %rsp\nret",
       }) {
    CAPTURE(body);
    CHECK(found_in(function("f", body)) == "");
  }
}

TEST_CASE("switches: what leaves its stack without keeping where it was is none") {
  for (const std::string body : {
           "mov (%rdi), %rbx\nmov 8(%rdi), %rbp\nmov 0x30(%rdi), %r8\nmov 0x38(%rdi), %rdx\n"
           "mov %esi, %eax\nmov %r8, %rsp\njmp *%rdx",  // longjmp
           "mov (%rsp), %r10\nlea (%rdi,%rsi), %rax\nmov %rdx, (%rax)\nmov %rbp, 16(%rax)\n"
           "mov %r10, 24(%rax)\nmov %rax, %rbp\nmov %rdi, %r10\nlea 0xb8(%r10), %rsp\npop %r10\n"
           "call *%r10\nmov 16(%rbp), %rbp\nret",  // libffi moves its frame
           "push %rbp\nmov %rsp, %rbp\nmov %rdi, -8(%rbp)\nmov -8(%rbp), %rax\nmov %rax, %rsp\n"
           "mov $15, %rax\nsyscall\nud2",  // resumes what a signal interrupted
       }) {
    CAPTURE(body);
    CHECK(found_in(function("f", body)) == "");
  }
}

TEST_CASE("switches: bytes that only look like one within other instructions are none") {
  // mov %rsp, %rdi as data of a mov, behind a function that keeps its stack pointer.
  CHECK(found_in(function("f", "mov %rsp, (%rdi)\nmovabs $0x90fc894890909090, %rax\nret")) == "");
}

TEST_CASE("switches: inline assembly in C is found however it is compiled, alloca is none") {
  const std::string switcher =
      "void change(void **save, void *to) {"
      " __asm__ volatile(\"push %%rbx\\n mov %%rsp, (%0)\\n mov %1, %%rsp\\n pop %%rbx\""
      " :: \"r\"(save), \"r\"(to) : \"memory\"); }";
  const std::string blocks =
      "void use(void*); void f(int n) { for (int i = 0; i < n; i++) { char a[i + 1]; use(a); } }"
      "void g(int n, void **out) { char b[n]; *out = b; use(b); for (int i = 1; i < n; i++) {"
      " char c[i]; use(c); *out = c; } use(b); }"
      "int h(int n) { int x __attribute__((aligned(64))) = n; use(&x); return x; }";
  for (const std::string flags : {"-O0", "-O1", "-O2", "-O3 -mavx2 -fomit-frame-pointer", "-Os"}) {
    CAPTURE(flags);
    CHECK(found_in_c(blocks + switcher, flags) == "change");
    CHECK(found_in_c(blocks + switcher, flags + " -s -fvisibility=hidden -Wl,-u,change") != "");
    CHECK(found_in_c(blocks, flags) == "");
  }
}

TEST_CASE("switches: the distribution's programs and libraries have none") {
  for (const char* path : kRealBinaries) {
    CAPTURE(path);
    const auto switches = find_stack_switches(open_image(path));
    CHECK(switches.found == "");
    CHECK(switches.whole);
  }
}
