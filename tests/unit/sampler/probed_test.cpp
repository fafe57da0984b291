// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "probed_memory.h"

namespace {

constexpr uint64_t kProbePage = 0x7fffffffe000;
constexpr uint64_t kCode = 0x401000, kStack = 0x7ffd'0000'1000, kKernel = 0xffff'c900'0000'0000;
constexpr size_t kKernelRegisters = 21 * 8;
enum Register { kRcx = 2, kRsp = 7, kR11 = 11, kRip = 16 };

using Returns = std::vector<std::pair<uint64_t, uint64_t>>;  // slot, address

// A thread of a program whose code, stack and kernel stack are what a test writes there.
struct Thread {
  std::array<uint8_t, 256> code{};
  std::array<uint64_t, 16> stack{};
  std::array<uint64_t, 64> kernel{};  // from the first word on that is looked at
  std::vector<probed_return> list;
  probed_thread made{};

  // call `to`, five bytes long, in front of kCode + `end`.
  void call(size_t end, uint64_t to) {
    const auto far = uint32_t(to - (kCode + end));
    code[end - 5] = 0xe8;
    for (size_t i = 0; i < 4; ++i) code[end - 4 + i] = uint8_t(far >> (8 * i));
  }
  Returns returns(size_t kernel_words_below) {
    const memory_part parts[] = {{kCode, code.data(), code.size()},
                                 {kStack, stack.data(), sizeof stack},
                                 {kKernel, kernel.data(), sizeof kernel}};
    made.registers[kRsp] = kStack;
    made.kernel_sp = kKernel + kKernelRegisters + 8 * kernel_words_below;
    made.list = list.data();
    made.list_size = uint32_t(list.size());
    made.memory = parts;
    made.memory_parts = std::size(parts);
    std::array<probed_return, 65> to{};
    const uint32_t count = copied_returns(&made, to.data());
    Returns out;
    for (uint32_t i = 0; i < count; ++i) out.emplace_back(to[i].slot, to[i].address);
    return out;
  }
};

// In a function whose return address the kernel has taken, and has in no list yet.
struct Entering : Thread {
  static constexpr uint64_t kFunction = kCode + 128;
  Entering() {
    stack[0] = kProbePage;
    made.registers[kRip] = kFunction + 1;
    list = {{kStack + 64, kCode + 200}};
  }
  Returns taken() { return returns(1); }
};

// In the kernel's code that a probed return goes to, of a function whose slot was at kSlot.
struct Returning : Thread {
  static constexpr uint64_t kSlot = kStack + 16, kCaller = kCode + 40;
  Returning() {
    made.registers[kRip] = kProbePage + 13;
    made.registers[kR11] = 0x246;
    made.registers[kRcx] = 77;
    list = {{kStack + 64, kCode + 200}};
    kernel[20] = made.registers[kR11];
    kernel[21] = made.registers[kRcx];
    kernel[22] = kCaller;
  }
  Returns given_back() { return returns(0); }
};

}  // namespace

TEST_CASE("probed: an instruction is executed elsewhere before the kernel says for which probe") {
  constexpr uint64_t kElsewhere = kProbePage + 128;
  for (const int active : {0, 1}) {
    CHECK(undone_ip(kElsewhere, kCode, kElsewhere, active) == kCode);
    CHECK(undone_ip(kElsewhere + 15, kCode, kElsewhere, active) == kCode + 15);
    CHECK(undone_ip(kElsewhere + 16, kCode, kElsewhere, active) == kElsewhere + 16);
    CHECK(undone_ip(kElsewhere - 1, kCode, kElsewhere, active) == kElsewhere - 1);
  }
  CHECK(undone_ip(3, kCode, 0, 0) == 3);  // none yet
}

TEST_CASE("probed: a taken return address is the one behind a call of what is entered") {
  Entering thread;
  thread.call(20, kCode + 60);  // of something else
  thread.call(40, Entering::kFunction);
  thread.kernel = {kCode + 20, 5, kCode + 40};
  CHECK(thread.taken() == Returns{{kStack, kCode + 40}, {kStack + 64, kCode + 200}});
}

TEST_CASE("probed: of a function that was jumped to it is the first behind any call") {
  Entering thread;
  thread.call(20, kCode + 60);
  thread.call(40, kCode + 60);
  thread.kernel = {0, kCode + 100, kCode + 20, kCode + 40};
  CHECK(thread.taken() == Returns{{kStack, kCode + 20}, {kStack + 64, kCode + 200}});
  thread.call(Entering::kFunction + 1 - kCode, kCode + 60);
  thread.kernel[1] = Entering::kFunction + 1;  // where it is itself is none
  CHECK(thread.taken().front().second == kCode + 20);
}

TEST_CASE("probed: where nothing is behind a call, or nothing was taken, the list is all") {
  Entering thread;
  const Returns listed{{kStack + 64, kCode + 200}};
  thread.kernel = {kCode + 20, kCode + 40, 7};
  CHECK(thread.taken() == listed);
  thread.call(40, Entering::kFunction);
  CHECK(thread.taken().size() == 2);
  thread.stack[0] = kCode + 40;  // it still stands there
  CHECK(thread.taken() == listed);
  thread.list[0].slot = kStack;  // it is in the list
  thread.stack[0] = kProbePage;
  CHECK(thread.taken().size() == 1);
}

TEST_CASE("probed: a return address that is given back lies behind two registers") {
  Returning thread;
  CHECK(thread.given_back() ==
        Returns{{Returning::kSlot, Returning::kCaller}, {kStack + 64, kCode + 200}});
  std::ranges::rotate(thread.kernel, thread.kernel.begin() + 7);  // wherever they are
  CHECK(thread.given_back().front().second == Returning::kCaller);
}

TEST_CASE("probed: one that is given back is not looked for while the list has it") {
  for (const uint64_t slot : {Returning::kSlot, kStack - 8}) {
    Returning thread;
    thread.list.insert(thread.list.begin(), {slot, Returning::kCaller});
    CHECK(thread.given_back().size() == 2);
    CHECK(thread.given_back().front().first == slot);
  }
}

TEST_CASE("probed: what is behind other registers, or no address, is not given back") {
  Returning thread;
  thread.kernel[21] = 78;
  CHECK(thread.given_back() == Returns{{kStack + 64, kCode + 200}});
  thread.kernel[21] = 77;
  thread.kernel[22] = 4096;
  CHECK(thread.given_back() == Returns{{kStack + 64, kCode + 200}});
}
