// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "built_image.h"
#include "plan/planner.h"
#include "spec/model.h"

// What specs of tests are about: a program in assembly, and a library in C++ that it maps.
namespace compmond::plan::test {

inline const Candidate& app() {
  static const Candidate image = built_image("/opt/app/bin/app", ".s", R"(
.text
.macro fn name, code
.globl \name
.type \name, @function
.p2align 4
\name: \code
.size \name, .-\name
.endm
fn open_file, "endbr64; push %rbx; pop %rbx; ret"
fn close_file, "push %rbx; pop %rbx; ret"
fn send_one, "nop; ret"
fn keyed, "endbr64; mov %rsi,%rax; xor %edi,%edi; push %rbx; pop %rbx; ret"
fn send_two, "nop; ret"
fn locked, "lock incl (%rdi); ret"
fn either, "test %edi,%edi; je open_file; ret"
fn crooked, "sub $24,%rsp; jmp open_file"
fn forward, "endbr64; jmp open_file"
.globl alias_of_open
.type alias_of_open, @function
.set alias_of_open, open_file
.data
.globl table
.type table, @object
table: .quad 0
.size table, 8
.section .note.GNU-stack,"",@progbits
)",
                                             true);
  return image;
}

inline const Candidate& library() {
  static const Candidate image =
      built_image("/usr/lib/libhost.so.1", ".cpp",
                  "void other(); namespace ns { __attribute__((noinline)) int f(int x) { "
                  "other(); return x; } int f(char x) { other(); return x; } }");
  return image;
}

inline spec::Operation operation(const std::string& symbol, const std::string& pointer) {
  spec::Operation out;
  out.symbol = symbol;
  out.pointer = pointer;
  return out;
}

// One component "C0", "C1", … per list of patterns; operation j of component i is
// /components/i/in/j.
inline spec::Spec spec_of(const std::vector<std::vector<std::string>>& components,
                          const std::string& image = {}) {
  spec::Spec out;
  for (size_t i = 0; i < components.size(); ++i) {
    spec::Component component;
    component.name = component.path = "C" + std::to_string(i);
    component.pointer = "/components/" + std::to_string(i);
    component.image = image;
    for (size_t j = 0; j < components[i].size(); ++j)
      component.operations.push_back(
          operation(components[i][j], component.pointer + "/in/" + std::to_string(j)));
    out.components.push_back(component);
  }
  return out;
}

}  // namespace compmond::plan::test
