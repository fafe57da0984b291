// SPDX-License-Identifier: Apache-2.0
#include "walk/code_row.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "scene.h"

using namespace compmond;
using namespace compmond::unwind;

namespace {

constexpr uint64_t kCode = 0x1000;
constexpr size_t kRbxAt = 0, kRbpAt = 1, kR12At = 2;  // in kSaved

// Bytes that a compiler might have made.
struct Bytes : code::Memory {
  explicit Bytes(std::vector<uint8_t> all) : bytes(std::move(all)) {}
  std::vector<uint8_t> bytes;
  std::vector<elf::Image::Range> ranges{{kCode, 0x1000}};

  std::vector<uint8_t> read(uint64_t vaddr, uint64_t size) const override {
    if (vaddr < kCode || vaddr - kCode >= bytes.size()) return {};
    const auto from = bytes.begin() + ptrdiff_t(vaddr - kCode);
    return {from, from + ptrdiff_t(std::min<uint64_t>(size, bytes.size() - (vaddr - kCode)))};
  }
  const std::vector<elf::Image::Range>& text() const override { return ranges; }
  uint64_t region_size(uint64_t) const override { return 0; }
};

Row row(std::vector<uint8_t> bytes) { return row_by_code(Bytes(std::move(bytes)), kCode); }

void check_plain(const Row& row, int base, int32_t offset) {
  REQUIRE(row.kind == Row::Kind::kPlain);
  CHECK(row.cfa_register == base);
  CHECK(row.cfa_offset == offset);
  CHECK(row.at.back() == -8);
}

}  // namespace

TEST_CASE("code row: at a return the address is on top of the stack") {
  check_plain(row({0xc3}), kRsp, 8);
  check_plain(row({0x90, 0xc2, 0x10, 0x00}), kRsp, 8);
}

TEST_CASE("code row: what is taken off until the return lies below it") {
  // add $0x18,%rsp; pop %rbx; pop %rbp; pop %r12; ret
  const Row found = row({0x48, 0x83, 0xc4, 0x18, 0x5b, 0x5d, 0x41, 0x5c, 0xc3});
  check_plain(found, kRsp, 0x18 + 3 * 8 + 8);
  CHECK(found.at[kRbxAt] == -32);
  CHECK(found.at[kRbpAt] == -24);
  CHECK(found.at[kR12At] == -16);
}

TEST_CASE("code row: a function with a frame pointer is left by that") {
  const Row found = row({0xc9, 0xc3});  // leave; ret
  check_plain(found, kRbp, 16);
  CHECK(found.at[kRbpAt] == -16);
  // lea -0x10(%rbp),%rsp; pop %rbx; pop %r12; pop %rbp; ret
  const Row aligned = row({0x48, 0x8d, 0x65, 0xf0, 0x5b, 0x41, 0x5c, 0x5d, 0xc3});
  check_plain(aligned, kRbp, 16);
  CHECK(aligned.at[kRbxAt] == -32);
  CHECK(aligned.at[kR12At] == -24);
  CHECK(aligned.at[kRbpAt] == -16);
}

TEST_CASE("code row: in front of the pushes they come and go") {
  // push %rbx; sub $8,%rsp; add $8,%rsp; pop %rbx; ret
  const Row found = row({0x53, 0x48, 0x83, 0xec, 0x08, 0x48, 0x83, 0xc4, 0x08, 0x5b, 0xc3});
  check_plain(found, kRsp, 8);
  CHECK(found.at[kRbxAt] == -16);  // below the stack pointer: the walker takes it as unchanged
}

TEST_CASE("code row: calls return, jumps are followed, also into other functions") {
  // call +0; jmp 1f; ud2; 1: pop %rbx; ret
  check_plain(row({0xe8, 0, 0, 0, 0, 0xeb, 0x02, 0x0f, 0x0b, 0x5b, 0xc3}), kRsp, 16);
}

TEST_CASE("code row: ways with fewer calls count before others, as calls may not return") {
  // test %eax,%eax; jne 1f; call +0; ret (of the next function); 1: pop %rbx; ret
  check_plain(row({0x85, 0xc0, 0x75, 0x06, 0xe8, 0, 0, 0, 0, 0xc3, 0x5b, 0xc3}), kRsp, 16);
}

TEST_CASE("code row: ways that do not agree, or do not return, tell nothing") {
  // jne 1f; ret; 1: pop %rbx; ret
  CHECK(row({0x75, 0x01, 0xc3, 0x5b, 0xc3}).kind == Row::Kind::kUnknown);
  CHECK(row({0xeb, 0xfe}).kind == Row::Kind::kUnknown);              // a loop
  CHECK(row({0xff, 0xe0}).kind == Row::Kind::kUnknown);              // jmp *%rax
  CHECK(row({0x0f, 0x0b}).kind == Row::Kind::kUnknown);              // ud2
  CHECK(row({0x48, 0x89, 0xc4, 0xc3}).kind == Row::Kind::kUnknown);  // mov %rax,%rsp; ret
  CHECK(row({}).kind == Row::Kind::kUnknown);
  CHECK(row(std::vector<uint8_t>(4000, 0x53)).kind == Row::Kind::kUnknown);  // pushes without end
}

TEST_CASE("walker: without a row the code tells the caller, where there is a call") {
  test::Scene scene;
  scene.code.rows[0x100] = {};
  scene.code.rows[0x200] = test::plain(8);
  scene.code.by_code[0x110] = test::plain(16);
  const uint64_t caller = test::kBase + 0x205;
  scene.code.bytes[0x205 - 7] = {0, 0, 0xe8, 1, 2, 3, 4};
  scene.at(0x110);
  scene.words = {7, caller, test::kOuter, 0};
  const auto walked = scene.walk();
  CHECK(walked.ended == sampling::Ended::kComplete);
  CHECK(test::vaddrs(walked) == test::Vaddrs{0x110, 0x204, 0x8000});
  // Where no call stands before it, it is no return address.
  scene.code.bytes[0x205 - 7] = {0, 0, 0, 0, 0, 0, 0};
  CHECK(scene.walk().ended == sampling::Ended::kBroken);
}

TEST_CASE("walker: what the code tells of a stack that was not copied so far is truncated") {
  test::Scene scene;
  scene.code.rows[0x100] = {};
  scene.code.by_code[0x110] = test::plain(64);
  scene.at(0x110);
  scene.words = {7, 7};
  CHECK(scene.walk().ended == sampling::Ended::kTruncated);
}
