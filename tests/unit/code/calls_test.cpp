// SPDX-License-Identifier: Apache-2.0
#include "code/calls.h"

#include <algorithm>
#include <string>
#include <vector>

#include "assembled.h"
#include "elf/links.h"

using namespace compmond;

namespace {

constexpr const char* kCode = R"(
.text
.macro fn name, code
.globl \name
.hidden \name
.type \name, @function
.p2align 4
\name: \code
.size \name, .-\name
.endm
fn leaf, "mov %edi, %eax; ret"
fn calls_leaf, "push %rbx; call leaf; pop %rbx; ret"
fn jumps_to_leaf, "nop; jmp leaf"
fn through_register, "push %rbx; call *%rsi; pop %rbx; ret"
fn through_memory, "push %rbx; call *8(%rdi); pop %rbx; ret"
fn jumps_through_register, "nop; jmp *%rsi"
fn foreign, "push %rbx; call other@PLT; pop %rbx; ret"
fn foreign_slot, "push %rbx; call *other@GOTPCREL(%rip); pop %rbx; ret"
fn foreign_tail, "nop; jmp other@PLT"
fn crooked, "sub $24, %rsp; jmp leaf"
fn looks, "mov (%rsp), %rax; ret"
fn looks_deeper, "push %rbx; sub $16, %rsp; mov 24(%rsp), %rax; add $16, %rsp; pop %rbx; ret"
fn looks_by_frame, "push %rbp; mov %rsp, %rbp; mov 8(%rbp), %rdi; pop %rbp; ret"
fn looks_elsewhere, "push %rbx; mov 16(%rsp), %rax; mov (%rsp), %rcx; pop %rbx; ret"
)";

// As text: what is called by name, "~" before what is jumped to, and what else is known.
std::string read(const Assembled& code, const std::string& name) {
  const auto slots = elf::read_slots(code.image());
  if (!slots) FAIL(slots.error().text());
  const auto calls = code::CallReader(code.image()).read(code.symbol(name).vaddr);
  std::string out;
  for (const auto& target : calls.targets) {
    std::string callee = "?";
    if (target.slot && slots->contains(target.vaddr)) callee = slots->at(target.vaddr);
    for (const auto& symbol : code.image().symbols())
      if (!target.slot && symbol.vaddr == target.vaddr) callee = symbol.name;
    out += (target.tail ? "~" : "") + callee + " ";
  }
  if (calls.reads_return_address) out += "looks ";
  return out + calls.unknown;
}

}  // namespace

TEST_CASE("calls: functions of the image, and others by way of the linkage table, by name") {
  const Assembled code(kCode);
  CHECK(read(code, "leaf").empty());
  CHECK(read(code, "calls_leaf") == "leaf ");
  CHECK(read(code, "jumps_to_leaf") == "~leaf ");
  CHECK(read(code, "foreign") == "other ");
  CHECK(read(code, "foreign_slot") == "other ");
  CHECK(read(code, "foreign_tail") == "~other ");
}

TEST_CASE("calls: what goes through a pointer, or cannot be followed, is told") {
  const Assembled code(kCode);
  CHECK(read(code, "through_register") == "it calls through a pointer at +0x1");
  CHECK(read(code, "through_memory") == "it calls through a pointer at +0x1");
  CHECK(read(code, "jumps_through_register") == "it calls through a pointer at +0x1");
  CHECK(read(code, "crooked").ends_with("the stack is not as at entry (-24 bytes)"));
}

TEST_CASE("calls: a look at the own return address is one, wherever the stack pointer is") {
  const Assembled code(kCode);
  CHECK(read(code, "looks") == "looks ");
  CHECK(read(code, "looks_deeper") == "looks ");
  CHECK(read(code, "looks_by_frame") == "looks ");
  CHECK(read(code, "looks_elsewhere").empty());
}
