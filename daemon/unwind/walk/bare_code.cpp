// SPDX-License-Identifier: Apache-2.0
#include "walk/bare_code.h"

#include <algorithm>
#include <initializer_list>

namespace compmond::unwind {
namespace {

constexpr uint64_t kEntryBytes = 512;  // what C libraries lay between a program's entry and main
constexpr uint64_t kArguments = 1024;  // a program with more is not recognized here
constexpr uint64_t kStackBytes = 64u << 20;  // arguments lie at most so far above

bool begins(std::span<const uint8_t> bytes, std::initializer_list<uint8_t> with) {
  return bytes.size() >= with.size() && std::equal(with.begin(), with.end(), bytes.begin());
}

bool is_syscall(std::span<const uint8_t> bytes) { return begins(bytes, {0x0f, 0x05}); }

// mov $15, %rax or %eax; syscall: debuggers know it likewise.
bool is_sigreturn(std::span<const uint8_t> bytes) {
  return begins(bytes, {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05}) ||
         begins(bytes, {0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05});
}

// [endbr64] [bnd] jmp *slot(%rip): an entry of the linkage table, by a linker that describes none.
bool is_linkage(std::span<const uint8_t> bytes) {
  if (begins(bytes, {0xf3, 0x0f, 0x1e, 0xfa})) bytes = bytes.subspan(4);
  if (begins(bytes, {0xf2})) bytes = bytes.subspan(1);
  return begins(bytes, {0xff, 0x25});
}

}  // namespace

Bare bare_code(std::span<const uint8_t> before, std::span<const uint8_t> behind,
               const Registers& registers, bool first_frame) {
  if (is_sigreturn(behind)) return Bare::kSignalReturn;
  if (!first_frame) return Bare::kUnknown;
  // A system call leaves its own pc in rcx, and a new thread 0 in rax. glibc's clone ends its
  // description before that moment, since the new thread stands on an empty stack.
  constexpr int kRax = 0, kRcx = 2;
  if (is_syscall(before) && registers.value[kRcx] == registers.value[kPc] &&
      registers.value[kRax] == 0)
    return Bare::kNewThread;
  return is_linkage(behind) ? Bare::kAtReturn : Bare::kUnknown;
}

bool is_behind_call(std::span<const uint8_t> before) {
  const size_t size = before.size();
  if (size >= 5 && before[size - 5] == 0xe8) return true;
  // call *…: how long it is depends on what it calls.
  for (const size_t length : {2, 3, 4, 6, 7}) {
    if (size < length || before[size - length] != 0xff) continue;
    if ((before[size - length + 1] & 0x38) == 0x10) return true;
  }
  return false;
}

bool leave_signal(Registers& registers, Memory& memory) {
  // struct ucontext: flags, link, stack (40 bytes), then these.
  constexpr uint64_t kContext = 40;
  constexpr int kOrder[] = {8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7, 16};
  const uint64_t sp = registers.value[kRsp];
  Registers before;
  for (size_t i = 0; i < std::size(kOrder); ++i) {
    const auto value = memory.read(sp + kContext + 8 * i, 8);
    if (!value) return false;
    before.set(kOrder[i], *value);
  }
  registers = before;
  return true;
}

bool below_arguments(uint64_t sp, Memory& memory, uint64_t* end) {
  for (uint64_t at = sp + (-sp % 16); at - sp < kEntryBytes; at += 16) {  // the kernel aligns argc
    const auto argc = memory.read(at, 8);
    if (!argc) return false;
    if (*argc == 0 || *argc > kArguments) continue;
    const auto is_argument = [&](uint64_t i) {
      const auto text = memory.read(at + 8 * i, 8);
      return text && *text > at + 8 * *argc && *text - at < kStackBytes;
    };
    uint64_t i = 1;
    while (i <= *argc && is_argument(i)) ++i;
    if (i <= *argc || memory.read(at + 8 * i, 8) != 0) continue;
    *end = at + 8 * (i + 1);
    return true;
  }
  return false;
}

}  // namespace compmond::unwind
