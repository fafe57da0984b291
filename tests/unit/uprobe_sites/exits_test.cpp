// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "probed.h"

namespace {

const std::string kOther = function("other", "endbr64; ret");

std::string exits(const std::string& body, const std::string& others = kOther) {
  return Probed(function("f", body) + others).exits("f");
}

}  // namespace

TEST_CASE("exits: those that a function has, where all can carry a probe") {
  CHECK(exits("nop; test %edi,%edi; je 1f; ret; 1: nop; rep ret") == "+5 +7");
  CHECK(exits("test %edi,%edi; je other; ret") == "+2j4 +4");
  CHECK(exits("push %rbx; ret") == "at +0x1 the stack is not as at entry (-8 bytes)");
}

TEST_CASE("exits: a conditional tail jump that no flag decides leaves the exits unknown") {
  CHECK(exits("nop; jrcxz 7f; ret", function("other", "7: endbr64; ret")) ==
        "the jump at +0x1 leaves it on a condition that is none of the flags");
}

TEST_CASE("exits: a notrack tail jump cannot be probed") {
  const std::string refusal =
      " cannot carry a probe: the kernel takes no probe on an instruction with a cs, ds, es, ss or "
      "notrack prefix";
  CHECK(exits("mov (%rdi),%rax; .byte 0x3e; jmp *%rax") == "its exit at +0x3" + refusal);
  CHECK(exits("test %edi,%edi; je 1f; .byte 0x3e; jmp *%rax; 1: nop; .byte 0x3e; jmp *%rsi") ==
        "its exit at +0x4" + refusal);
}

TEST_CASE("exits: a first instruction that is an exit cannot be both") {
  CHECK(exits("jmp other") == "its first instruction is already its exit");
  CHECK(exits("test %edi,%edi; jmp other") == "+2j");
}

TEST_CASE("exits: a function of unknown size keeps its entry and says why exits are unknown") {
  Probed code(".text\n .globl f\n .type f,@function\n f: endbr64\n push %rbx\n pop %rbx\n ret\n");
  CHECK(code.exits("f") == "neither its symbol nor unwind information says how long it is");
  CHECK(code.find("f").moved_by == 0);
}
