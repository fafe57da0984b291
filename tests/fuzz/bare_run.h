// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace compmond::fuzz {

constexpr int kRegisters = 16;      // in the order of their encoding: rax, rcx, rdx, rbx, rsp, …
constexpr uint64_t kFlags = 0xcd5;  // those of results, and the direction: what is compared

// What a program has besides memory.
struct Registers {
  std::array<uint64_t, kRegisters> general{};
  uint64_t flags = 0x202;
  std::vector<uint8_t> vectors;  // as xsave lays them out
};

// How a run ended: always by a signal, since what surrounds the code is int3.
struct Stop {
  int signal = 0;
  uint64_t rip = 0;
  uint64_t trap = 0, error = 0, address = 0;  // the processor's words for it
  Registers registers;
};

// Runs bare code in this process, between nothing but memory that may not be touched: pages of code
// (read and executed, filled with int3), one of pointers (read), an arena (read and written).
// Addresses are the same in every process. Code must not leave this neighbourhood: see
// straight_code.h. One at a time, in one thread.
class BareMachine {
 public:
  static constexpr uint64_t kCode = 0x7e9100000000;  // 4 GiB on either side belong to it
  static constexpr uint64_t kPage = 4096;
  static constexpr uint64_t kPointers = kCode + 16 * kPage;  // to the first bytes of kCode
  static constexpr uint64_t kArena = kCode + 64 * kPage, kArenaSize = 2 * kPage;
  static constexpr size_t kFarPages = 64;

  static BareMachine& get();
  BareMachine(const BareMachine&) = delete;
  BareMachine& operator=(const BareMachine&) = delete;

  // Address of one of the pages that are up to 1.9 GiB away from kCode.
  static uint64_t far_page(size_t number);
  // Makes int3 of the page at `page` (kCode or a far one), but for `code` from `offset` on.
  void write(uint64_t page, uint64_t offset, std::span<const uint8_t> code);
  std::span<uint64_t> arena();
  // Registers that a run may begin with: vectors from `seed`.
  Registers registers(uint64_t seed) const;
  Stop run(uint64_t rip, const Registers& registers);

 private:
  BareMachine();

  uint8_t* writable_ = nullptr;  // the pages of code, kCode's first
};

// The next of a sequence of numbers that look random (splitmix64).
uint64_t random_after(uint64_t& seed);
// Bytes that look random, of which there are so many that seeds seldom give the same; at most 16
// KiB.
std::span<const uint8_t> random_bytes(uint64_t seed, size_t count);

// The first difference in what is kept of vector registers, or -1. Left out is what says where
// instructions and operands were.
int vectors_differ(const Registers& a, const Registers& b);

}  // namespace compmond::fuzz
