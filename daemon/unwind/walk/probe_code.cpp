// SPDX-License-Identifier: Apache-2.0
#include "walk/probe_code.h"

#include <algorithm>

namespace compmond::unwind {
namespace {

// Both kinds of code save three registers, make a system call and take them back. So many words
// are pushed by then, of an offset at which an instruction begins.
struct Step {
  uint8_t offset, words;
};

// push rax, rcx, r11; mov; syscall; pop r11, rcx; ret, by way of the slot that rax was saved in:
// the kernel puts the address there meanwhile. Before Linux 6.11 it is an int3 alone.
constexpr Step kReturn[] = {{0, 0}, {1, 1}, {2, 2}, {4, 3}, {11, 3}, {13, 3}, {15, 2}, {16, 1}};
constexpr uint64_t kReturned = 13;  // the system call is done
// From Linux 6.18: push rcx, r11, rax; mov; syscall; pop rax, r11, rcx; ret.
constexpr Step kNop[] = {{0, 0},  {1, 1},  {3, 2},  {4, 3}, {11, 3},
                         {13, 3}, {14, 2}, {16, 1}, {17, 0}};
constexpr uint64_t kNopBytes = 5, kNopCode = 0x0000441f0f;  // as the file has it

std::optional<uint64_t> words_at(uint64_t offset, std::span<const Step> steps) {
  const auto step = std::ranges::find(steps, offset, &Step::offset);
  return step == steps.end() ? std::nullopt : std::optional<uint64_t>(step->words);
}

bool leave_return(Registers& registers, std::span<const cm_return> returns, Memory& memory) {
  const uint64_t offset = registers.value[kPc] % CM_STACK_PAGE;
  const auto words = words_at(offset, kReturn);
  if (!words) return false;
  const uint64_t top = registers.value[kRsp] - 8;
  uint64_t slot = top + 8 * *words;
  auto caller = taken_from(slot, returns);
  // For the time of the system call the kernel takes the saved registers off the stack.
  if (!caller && offset == kReturned && (caller = taken_from(top, returns))) slot = top;
  if (!caller && offset >= kReturned) caller = memory.read(slot, 8);
  if (!caller) return false;
  registers.set(kPc, *caller);
  registers.set(kRsp, slot + 8);
  return true;
}

bool leave_nop(Registers& registers, Memory& memory) {
  const auto words = words_at(registers.value[kPc] % CM_STACK_PAGE, kNop);
  if (!words) return false;
  const uint64_t slot = registers.value[kRsp] + 8 * *words;
  const auto behind = memory.read(slot, 8);
  if (!behind || memory.read(*behind - kNopBytes, kNopBytes) != kNopCode) return false;
  registers.set(kPc, *behind);
  registers.set(kRsp, slot + 8);
  return true;
}

}  // namespace

std::optional<uint64_t> taken_from(uint64_t slot, std::span<const cm_return> returns) {
  const auto found = std::ranges::find(returns, slot, &cm_return::slot);
  return found == returns.end() ? std::nullopt : std::optional<uint64_t>(found->address);
}

bool leave_probe_code(Registers& registers, std::span<const cm_return> returns, Memory& memory) {
  return in_probe_page(registers.value[kPc]) ? leave_return(registers, returns, memory)
                                             : leave_nop(registers, memory);
}

}  // namespace compmond::unwind
