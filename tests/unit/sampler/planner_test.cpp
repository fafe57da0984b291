// SPDX-License-Identifier: Apache-2.0
#include "sampler/planner.h"

#include <doctest/doctest.h>

#include <memory>

#include "../code/assembled.h"

using namespace compmond;

namespace {

plan::Way way_of(const std::string& name, const std::string& body) {
  const Assembled code(function("other", "ret") + function(name, body));
  const std::vector<plan::Candidate> candidates{
      {std::shared_ptr<const elf::Image>(std::shared_ptr<void>(), &code.image()), "/code", true}};
  const std::vector<spec::Context> no_contexts;
  return sampler::Planner(candidates)
      .plan({0, code.symbol(name), spec::ExitMode::kAuto, no_contexts})
      .front();
}

}  // namespace

TEST_CASE("sampling planner: an operation is its code") {
  const plan::Way way = way_of("f", "push %rbx\ncall other\npop %rbx\nret");
  CHECK_FALSE(way.refused);
  REQUIRE(way.code.size() == 1);
  CHECK(way.code[0].size == 8);
  CHECK_FALSE(way.ends_in_jump);
}

TEST_CASE("sampling planner: one that ends in a jump to another function is known to") {
  CHECK(way_of("f", "inc %edi\njmp other").ends_in_jump);
  CHECK(way_of("f", "test %edi, %edi\nje other\nret").ends_in_jump);  // on some path
  CHECK(way_of("f", "jmp *%rdi").ends_in_jump);
}

TEST_CASE(
    "sampling planner: what is hardly more than a jump is on no stack, and never told as nothing") {
  CHECK(way_of("f", "jmp other").refused);
  CHECK(way_of("f", "jmp other").reason.ends_with("name that one"));
  const plan::Way way = way_of("f", "inc %edi\njmp other");
  CHECK(way.refused);
  CHECK(way.reason ==
        "it is hardly more than a jump to other, which has its time and is on stacks in its place: "
        "name that one");
  CHECK_FALSE(way_of("f", "push %rax\ncall other\npop %rax\njmp other").refused);
  CHECK_FALSE(way_of("f", "test %edi, %edi\nje other\nret").refused);
  CHECK_FALSE(way_of("f", "1: dec %edi\njne 1b\njmp other").refused);
  CHECK_FALSE(way_of("f", "ret").refused);
  // What may take long is met by samples, however short its code is.
  CHECK_FALSE(way_of("f", "mov $1, %eax\nsyscall\njmp other").refused);
  CHECK_FALSE(way_of("f", "mov %rdx, %rcx\nrep movsb\njmp other").refused);
}

TEST_CASE(
    "sampling planner: jumps within a function leave no stack, and what nobody knows is not told") {
  CHECK_FALSE(way_of("f", "1: dec %edi\njne 1b\nret").ends_in_jump);
  CHECK_FALSE(way_of("f", "inc %edi\ntest %edi, %edi\njne f\nret").ends_in_jump);
  CHECK_FALSE(way_of("f", "lea 1f(%rip), %rax\nadd %rdi, %rax\njmp *%rax\n1: ret").ends_in_jump);
}
