// SPDX-License-Identifier: Apache-2.0
#include "code/targets.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <initializer_list>
#include <vector>

namespace code = compmond::code;
using compmond::elf::Image;

namespace {

constexpr uint64_t kBase = 0x1000, kChunk = 4 << 20;

// Code at kBase that is all nops but for what is put into it.
class Nops : public code::Memory {
 public:
  explicit Nops(size_t size) : bytes_(size, 0x90), text_{{kBase, size}} {}
  void put(uint64_t vaddr, std::initializer_list<uint8_t> bytes) {
    std::ranges::copy(bytes, bytes_.begin() + ptrdiff_t(vaddr - kBase));
  }
  std::vector<uint8_t> read(uint64_t vaddr, uint64_t size) const override {
    const auto begin = bytes_.begin() + ptrdiff_t(vaddr - kBase);
    return {begin, begin + ptrdiff_t(std::min<uint64_t>(size, bytes_.size() - (vaddr - kBase)))};
  }
  const std::vector<Image::Range>& text() const override { return text_; }
  uint64_t region_size(uint64_t) const override { return 0; }

 private:
  std::vector<uint8_t> bytes_;
  std::vector<Image::Range> text_;
};

// Whether something in `memory` leads to exactly `vaddr`.
bool led_to(const Nops& memory, uint64_t vaddr) {
  const code::Functions none({});
  return code::JumpTargets(memory, none).any_within(vaddr - 1, vaddr);
}

}  // namespace

TEST_CASE("targets: wide jumps and calls are found wherever they lie, across chunks too") {
  for (const uint64_t at : {kBase, kBase + kChunk - 2, kBase + kChunk - 5, kBase + kChunk}) {
    for (const uint8_t opcode : {0xe8, 0xe9}) {
      Nops memory(kChunk + 4096);
      memory.put(at, {opcode, 0x20, 0, 0, 0});
      CHECK(led_to(memory, at + 5 + 0x20));
      CHECK_FALSE(led_to(memory, at + 5 + 0x21));
    }
  }
  for (const uint64_t at : {kBase, kBase + kChunk - 1, kBase + kChunk - 3}) {
    Nops memory(kChunk + 4096);
    memory.put(at, {0x0f, 0x84, 0x30, 0, 0, 0});
    CHECK(led_to(memory, at + 6 + 0x30));
  }
}

TEST_CASE(
    "targets: a jump inside another instruction's bytes counts, for nobody knows where "
    "decoding begins") {
  Nops memory(4096);
  memory.put(kBase + 100, {0x48, 0xb8, 0xe9, 0x10, 0, 0, 0, 0, 0, 0});  // mov $…,%rax
  CHECK(led_to(memory, kBase + 102 + 5 + 0x10));
}

TEST_CASE("targets: short jumps are found in their whole reach, both ways") {
  Nops memory(4096);
  memory.put(kBase + 1000, {0xeb, 0x7f});
  memory.put(kBase + 2000, {0x74, 0x80});
  CHECK(led_to(memory, kBase + 1002 + 127));
  CHECK(led_to(memory, kBase + 2002 - 128));
  CHECK_FALSE(led_to(memory, kBase + 1002 + 126));
  CHECK_FALSE(led_to(memory, kBase + 2002 - 129));
}

TEST_CASE("targets: bytes of an instruction that look like a short jump are none") {
  Nops memory(4096);
  memory.put(kBase + 1000, {0xb8, 0xeb, 0x10, 0, 0});  // mov $0x10eb,%eax
  CHECK_FALSE(led_to(memory, kBase + 1003 + 0x10));
}
